import PushQueue
import PushTerminal

extension CommandError {
    /// What ended a run that uses a queue: no error passes as success.
    static func ending(_ error: any Error, _ place: String) -> CommandError {
        if let error = error as? CommandError { return error }
        if let error = error as? QueueError { return CommandError(error, place) }
        return CommandError(.unavailable, "the queue \(place): the run was ended early (\(type(of: error)))")
    }

    /// - Parameter place: Where the queue is.
    init(_ error: QueueError, _ place: String) {
        let status: ExitStatus =
            switch error.code {
            case .unreachable, .full, .lost, .fenced: .unavailable
            case .invalidEntry: .input
            case .refused, .failed: .configuration
            }
        // Most sentences of a store say where it is.
        let sentence = error.description
        self.init(status, sentence.contains(place) ? "queue: \(sentence)" : "the queue \(place): \(sentence)")
    }
}
