import PushQueue

/// Why a connection or a call failed, as a value that machines can compare.
struct RedisFailure: Error, Hashable, CustomStringConvertible {
    let code: QueueError.Code
    /// What happened and what to do.
    let description: String

    init(_ code: QueueError.Code, _ sentence: String) {
        self.code = code
        description = sentence
    }

    /// The error that a caller gets.
    var error: QueueError { QueueError(code, description) }
}
