import ProcessRuntime

/// How a connection stands, for an observer: written by its process at the end of each burst.
package struct ConnectionReport: Sendable, Hashable {
    /// Where it is in its life.
    package enum Phase: String, Sendable, Hashable {
        /// TLS is not up yet.
        case connecting
        case open
        /// GOAWAY was sent.
        case draining
        /// Nothing is written any more.
        case muted
        /// Nothing is processed any more.
        case deaf
    }

    package let connection: ConnectionID
    /// Whether it came to the port for broadcast channels.
    package let isManagement: Bool
    /// When it was accepted, in milliseconds since 1970.
    package let openedAt: Int64
    package var phase = Phase.connecting
    /// Streams without a complete answer.
    package var openStreams = 0
    /// Of these, the answers that are held or delayed.
    package var waitingAnswers = 0
    /// The MAX_CONCURRENT_STREAMS that was last announced.
    package var streamLimit = 0
    /// Body bytes that the connection's window has not given back.
    package var unreturnedBytes = 0
    /// Requests that were processed.
    package var requests = 0
    /// Refusals other than 410.
    package var refusals = 0
    package var identity: ProviderIdentity?
    /// When the current provider token first arrived on it, in milliseconds since 1970; nil without one.
    package var tokenArrivedAt: Int64?
}

extension SimulatedAPNs {
    /// How the open connections stand, oldest first. Reports are kept while there is an observer.
    package var connectionReports: [ConnectionReport] { core.connectionReports }

    /// Adds the one who follows what the simulator does. Returns false if there is one already.
    ///
    /// Connections that are open already show payloads only if the ledger keeps them.
    package func observe(_ observer: any SimulatorObserver) -> Bool { ledger.observe(observer) }

    /// Removes this observer, and no other one.
    package func stopObserving(_ observer: any SimulatorObserver) { ledger.stopObserving(observer) }
}

extension SimulatedAPNs {
    /// The simulator's wall clock, in milliseconds since 1970.
    package var wallClockMilliseconds: Int64 { core.system.time.wallClockMilliseconds }
}
