import ProcessRuntime
import PushHTTP2
import PushLocking

/// What an observer sees of a connection.
extension ProviderConnectionProcess {
    func fillReport() {
        guard let machine, let session else { return }
        let time = core.system.time
        let tokenAge = (time.now.nanoseconds - machine.facts.tokenArrivedAt) / 1_000_000
        let (openStreams, unreturned) = (session.openStreamCount, session.unreturnedConnectionBytes)
        report.withLock {
            $0.phase = machine.phase
            $0.openStreams = openStreams
            $0.unreturnedBytes = unreturned
            $0.waitingAnswers = machine.waitingAnswers
            $0.streamLimit = machine.streamLimit
            $0.requests = machine.requests
            $0.refusals = machine.facts.refusals
            $0.identity = machine.facts.identity
            $0.tokenArrivedAt = machine.facts.currentToken == nil ? nil : time.wallClockMilliseconds - tokenAge
        }
    }
}
