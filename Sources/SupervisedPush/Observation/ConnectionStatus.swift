/// The state of a connection: a snapshot that its process publishes at the end of each burst, so reading it costs the
/// process nothing.
public struct ConnectionStatus: Sendable, Codable, CustomStringConvertible {
    /// The connection's name; nil for an anonymous one.
    public let name: String?
    /// The live process; nil between two processes, and after the end.
    public internal(set) var pid: ProcessID?
    /// The phase of the connection.
    public internal(set) var phase: ConnectionPhase
    /// Why no link is up: the last failure, and when the next attempt to connect begins; nil if a link is up, or no
    /// attempt has failed.
    public let outage: Outage?
    /// Why APNs refuses the credential while the connection is suspended; otherwise nil.
    public let refusal: CredentialRefusal?
    /// The host that it pushes to.
    public let host: String
    /// The port of the current link; without one, of the next attempt to connect. For a pool, the port of a connection
    /// that is up.
    public let port: Int
    /// The proxy, as a URL without its password; nil for none.
    public let proxy: String?
    /// The credential in use, without any secret.
    public let credential: CredentialSummary
    /// The number of the process's current or last link: 1, 2, 3 … in the order they came up; 0 before the first.
    public let generation: Int
    /// Pushes written and without an outcome.
    public let inFlight: Int
    /// Pushes that wait to be written for the first time, and answered ones whose completion has not returned: what counts against the
    /// limit.
    public let waiting: Int
    /// The payload bytes of the pushes that wait to be written.
    public let waitingBytes: Int
    /// Pushes that were written before and wait to be sent again: after a lost link, GOAWAY, a refused stream, or an
    /// answer that is retried. They do not count against the limit. Those of a pool count for the pool.
    public let retrying: Int
    /// Their payload bytes, which count in the runtime's budget.
    public let retryingBytes: Int
    /// The most streams the current link may have open: the lower of our limit and the peer's; 0 without a link.
    public let streamLimit: Int
    /// True while APNs allows fewer streams than before on this link. It lowers the limit after rejections, usually to
    /// 1, and restores it with the next push it accepts. Pushes wait in the meantime; nothing is lost.
    public let isThrottled: Bool
    /// True while a link is up and pushes wait because the server takes no more bytes (flow control, RFC 9113, section
    /// 5.2). For a pool, true if that holds for all links that are up.
    public let isShortOfWindow: Bool
    /// Streams open on all links of the connection.
    public let openStreams: Int
    /// How many of them belong to pushes that were reported as timed out and wait for a late answer.
    public let lateStreams: Int
    /// Links that finish their streams after GOAWAY and open no more.
    public let drainingLinks: Int
    /// The round trip of the current link's latest answered PING; nil before the first. PINGs are sent when pushes stay
    /// unanswered, after silence, and once an hour: see ``PushConnection/Configuration/Liveness``.
    public let rtt: Duration?
    /// The age of the provider token; nil in certificate mode and before the first push. All connections of the same
    /// team and key share one token.
    public let tokenAge: Duration?
    /// What was counted since the name began.
    public let counters: ConnectionCounters

    /// One line, without counters that are 0.
    public var description: String { text(member: nil) }

    /// - Parameter member: Its number in its pool.
    func text(member: Int?) -> String {
        let number = member.map { "/\($0)" } ?? ""
        var words = [(name ?? "anonymous") + number, pid.map { "\($0)" } ?? "between two processes", phase.rawValue]
        let again = retrying > 0 ? ", \(retrying) retrying" : ""
        words.append(
            "generation \(generation), \(inFlight) in flight, \(waiting) waiting\(again), limit \(streamLimit)")
        return words.joined(separator: " ") + (trouble.map { ". \($0)" } ?? "")
    }

    /// Why pushes do not go out, in a sentence; nil if they do.
    package var trouble: String? {
        refusal?.description ?? outage?.description ?? (isShortOfWindow ? LinkFailure.noMoreBytes : nil)
    }

    /// The status of a process that has ended.
    var ended: ConnectionStatus {
        var status = self
        (status.pid, status.phase) = (nil, .ended)
        return status
    }
}
