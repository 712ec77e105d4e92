/// Observes connections: one function per event, with a default implementation that does nothing.
///
/// Set an observer as ``PushConnection/Configuration/Watching/observer``; several connections may share it. The calls
/// for one connection are made one at a time, in the order of the events, in a task of that connection, never on its
/// process or the queue of its completions. A slow observer therefore delays nothing else. At most 1,000 calls per
/// connection wait; beyond that, the newest are dropped, and ``factsDropped(_:count:)`` says how many.
///
/// Observers are for dashboards, logs and alarms. To act on a connection's life, read its lifecycle messages.
public protocol ConnectionObserver: Sendable {
    /// A process began to serve the connection: the first one (`restarts` is 0), or a restarted one.
    func processStarted(_ connection: ObservedConnection, restarts: Int)
    /// Pushes carry another provider token from now on: the connection's first one, or a renewed one. The tokens of a
    /// team and key are numbered 1, 2, 3 … in the order they were made, for all connections that share them.
    func providerTokenChanged(_ connection: ObservedConnection, number: Int)
    /// An attempt to connect began. Links are numbered by attempts: 1, 2, 3 … in each process.
    func linkDialed(_ connection: ObservedConnection, link: Int)
    /// TLS is established: the server's certificate is verified, and HTTP/2 is agreed on. `isResumed`: the handshake
    /// resumed an earlier connection's session, in which the certificate was verified at most a day ago.
    func linkSecured(_ connection: ObservedConnection, link: Int, isResumed: Bool)
    /// The server has none of the keys that are pinned with `reportOnly`, but `keys`, from its own to its authority's.
    /// The connection continues. Once for each link.
    func pinMismatch(_ connection: ObservedConnection, link: Int, keys: [SPKIPin])
    /// The peer's SETTINGS arrived: the first ones of the link, or later ones. `maxStreams` is how many streams it
    /// allows at a time; nil if it sets no limit.
    func settingsReceived(_ connection: ObservedConnection, link: Int, maxStreams: Int?)
    /// A link is up and pushes flow over it. `generation` counts these from 1 in each process; the links of
    /// refused probes are counted, too.
    func connectionUp(_ connection: ObservedConnection, generation: Int)
    /// A link broke, or an attempt to connect failed: name resolution, socket, TLS, HTTP/2, as `cause.layer` says.
    func linkLost(_ connection: ObservedConnection, link: Int, cause: LinkFailure)
    /// A link was abandoned: an attempt to connect took too long, or the link is of no use any more. `reconnecting`
    /// says why.
    func linkAbandoned(_ connection: ObservedConnection, link: Int)
    /// APNs sent GOAWAY. `lastStream` is the last stream it may have processed.
    func goAwayReceived(_ connection: ObservedConnection, link: Int, lastStream: Int, reason: String?)
    /// A link opens no more streams and finishes those it has; its replacement link is being dialled.
    func draining(_ connection: ObservedConnection, generation: Int, reason: String?)
    /// There is no link; the next attempt to connect begins after `delay`.
    func reconnecting(_ connection: ObservedConnection, attempt: Int, delay: Duration, cause: LinkFailure)
    /// APNs refuses the credential: pushes end at once, and the first push after `nextProbe` tries the credential
    /// again. Called again for each refused probe.
    func suspended(_ connection: ObservedConnection, cause: CredentialRefusal, nextProbe: Duration)
    /// APNs refuses the credential, with which no push was ever accepted. The process will end and not be restarted.
    func credentialRefused(_ connection: ObservedConnection, cause: CredentialRefusal)
    /// A replacement link for a link that still works could not be connected; the next attempt begins after `delay`.
    func replacementFailed(_ connection: ObservedConnection, attempt: Int, delay: Duration, cause: LinkFailure)
    /// APNs failed so often that the connection pauses its retries for `pause`: of the `answers` of the last ten
    /// seconds to pushes that ask for retries, `failures` were 500 or 503. The pause ends earlier if fewer than half
    /// are.
    func retriesStopped(_ connection: ObservedConnection, failures: Int, answers: Int, pause: Duration)
    /// What happened to a push after it was reported `timedOut`.
    func lateResponse(_ connection: ObservedConnection, _ response: LateResponse)
    /// This many feedback events were dropped, because the feedback handler is too slow.
    func feedbackDropped(_ connection: ObservedConnection, count: Int)
    /// This many fire-and-forget pushes ended without an answer and could not be handed back to an owner.
    func handBackLost(_ connection: ObservedConnection, count: Int)
    /// A process ended, and why. After a failure, a named connection is restarted.
    func processEnded(_ connection: ObservedConnection, reason: ExitReason)
    /// The connection will not be restarted; its name is free.
    func givenUp(_ connection: ObservedConnection)
    /// This many calls were dropped here, because this observer is too slow.
    func factsDropped(_ connection: ObservedConnection, count: Int)
}

/// The connection that an observer is called about.
public struct ObservedConnection: Sendable, Hashable, CustomStringConvertible {
    /// Its name; nil for an anonymous connection.
    public let name: String?
    /// The process that served it at the time of the event.
    public let pid: ProcessID

    /// For example `orders <7>`.
    public var description: String { name.map { "\($0) \(pid)" } ?? "\(pid)" }
}

extension ConnectionObserver {
    /// Does nothing.
    public func processStarted(_ connection: ObservedConnection, restarts: Int) {}
    /// Does nothing.
    public func providerTokenChanged(_ connection: ObservedConnection, number: Int) {}
    /// Does nothing.
    public func linkDialed(_ connection: ObservedConnection, link: Int) {}
    /// Does nothing.
    public func linkSecured(_ connection: ObservedConnection, link: Int, isResumed: Bool) {}
    /// Does nothing.
    public func pinMismatch(_ connection: ObservedConnection, link: Int, keys: [SPKIPin]) {}
    /// Does nothing.
    public func settingsReceived(_ connection: ObservedConnection, link: Int, maxStreams: Int?) {}
    /// Does nothing.
    public func connectionUp(_ connection: ObservedConnection, generation: Int) {}
    /// Does nothing.
    public func linkLost(_ connection: ObservedConnection, link: Int, cause: LinkFailure) {}
    /// Does nothing.
    public func linkAbandoned(_ connection: ObservedConnection, link: Int) {}
    /// Does nothing.
    public func goAwayReceived(_ connection: ObservedConnection, link: Int, lastStream: Int, reason: String?) {}
    /// Does nothing.
    public func draining(_ connection: ObservedConnection, generation: Int, reason: String?) {}
    /// Does nothing.
    public func reconnecting(_ connection: ObservedConnection, attempt: Int, delay: Duration, cause: LinkFailure) {}
    /// Does nothing.
    public func suspended(_ connection: ObservedConnection, cause: CredentialRefusal, nextProbe: Duration) {}
    /// Does nothing.
    public func credentialRefused(_ connection: ObservedConnection, cause: CredentialRefusal) {}
    /// Does nothing.
    public func replacementFailed(
        _ connection: ObservedConnection, attempt: Int, delay: Duration, cause: LinkFailure
    ) {}
    /// Does nothing.
    public func retriesStopped(_ connection: ObservedConnection, failures: Int, answers: Int, pause: Duration) {}
    /// Does nothing.
    public func lateResponse(_ connection: ObservedConnection, _ response: LateResponse) {}
    /// Does nothing.
    public func feedbackDropped(_ connection: ObservedConnection, count: Int) {}
    /// Does nothing.
    public func handBackLost(_ connection: ObservedConnection, count: Int) {}
    /// Does nothing.
    public func processEnded(_ connection: ObservedConnection, reason: ExitReason) {}
    /// Does nothing.
    public func givenUp(_ connection: ObservedConnection) {}
    /// Does nothing.
    public func factsDropped(_ connection: ObservedConnection, count: Int) {}
}
