import PushLocking
import SupervisedPush

/// The events of a connection while its first link comes up, as a sequence.
final class LinkFacts: ConnectionObserver {
    enum Fact: Sendable {
        case settings(maxStreams: Int?)
        case up
        /// The attempt failed.
        case failed(LinkFailure)
        case refused(CredentialRefusal)
        /// No event follows, unless the process failed and another one replaces it.
        case ended(ExitReason)
    }

    let facts: AsyncStream<Fact>
    /// Why the latest link was lost or could not be made; nil if none was.
    var lastLoss: LinkFailure? { loss.withLock { $0 } }

    private let loss = Locked<LinkFailure?>(nil)
    private let continuation: AsyncStream<Fact>.Continuation

    init() {
        (facts, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(100))
    }

    func settingsReceived(_ connection: ObservedConnection, link: Int, maxStreams: Int?) {
        continuation.yield(.settings(maxStreams: maxStreams))
    }

    func connectionUp(_ connection: ObservedConnection, generation: Int) { continuation.yield(.up) }

    func reconnecting(_ connection: ObservedConnection, attempt: Int, delay: Duration, cause: LinkFailure) {
        loss.withLock { $0 = cause }
        continuation.yield(.failed(cause))
    }

    func credentialRefused(_ connection: ObservedConnection, cause: CredentialRefusal) {
        continuation.yield(.refused(cause))
    }

    func processEnded(_ connection: ObservedConnection, reason: ExitReason) { continuation.yield(.ended(reason)) }
}
