/// Where a connection stands: a snapshot that its process publishes at the end of each burst, so that asking costs the
/// process nothing.
public struct ConnectionStatus: Sendable, Encodable, CustomStringConvertible {
    /// The connection's name; nil for an anonymous one.
    public let name: String?
    /// The live process; nil in the gap before a restart, and after the end.
    public private(set) var pid: ProcessID?
    /// Where it stands.
    public private(set) var phase: ConnectionPhase
    /// Why no link is up: the last failure, and when the next attempt to connect begins; nil if a link is up, or no
    /// attempt has failed.
    public let outage: Outage?
    /// Why APNs refuses the credential, while it is suspended; nil otherwise.
    public let refusal: CredentialRefusal?
    /// The host that it pushes to.
    public let host: String
    /// The port of the current link; without one, the port of the next attempt to connect. Of a pool, that of a
    /// connection that is up.
    public let port: Int
    /// The proxy on the way, as a URL without its password; nil for none.
    public let proxy: String?
    /// The credential in use, without any secret.
    public let credential: CredentialSummary
    /// Which link of the process is, or was, the current one: 1, 2, 3 … in the order they came up; 0 before the first.
    public let generation: Int
    /// Pushes written whose outcome is awaited.
    public let inFlight: Int
    /// Pushes that wait to be written, those answered whose completion has not returned included: what the bound
    /// counts.
    public let waiting: Int
    /// The payload bytes of those that wait to be written.
    public let waitingBytes: Int
    /// The most streams the current link may have open: our own cap or the peer's value; 0 without a link.
    public let streamLimit: Int
    /// True while APNs allows fewer streams than it did before on this link: it lowers the limit, mostly to 1, after
    /// rejections, and restores it with the next push it accepts. Pushes wait meanwhile; nothing is lost.
    public let isThrottled: Bool
    /// Streams open on all links of the connection.
    public let openStreams: Int
    /// Of those, the ones whose push was reported as timed out and that wait for a late answer.
    public let lateStreams: Int
    /// Links that finish their streams after GOAWAY and open no more.
    public let drainingLinks: Int
    /// The round trip of the current link's latest answered PING; nil before the first. A link is asked when pushes
    /// stay unanswered, after silence and once an hour: see ``LivenessPolicy``.
    public let rtt: Duration?
    /// The age of the provider token; nil in certificate mode and before the first push. One token serves all
    /// connections of the same team and key.
    public let tokenAge: Duration?
    /// What was counted since the name began.
    public let counters: ConnectionCounters

    /// One line, without the counters that are 0.
    public var description: String {
        var words = [name ?? "anonymous", pid.map { "\($0)" } ?? "between two processes", phase.rawValue]
        words.append("generation \(generation), \(inFlight) in flight, \(waiting) waiting, limit \(streamLimit)")
        return words.joined(separator: " ") + ((refusal?.description ?? outage?.description).map { ". \($0)" } ?? "")
    }

    /// The status of a process that has ended.
    var ended: ConnectionStatus {
        var status = self
        (status.pid, status.phase) = (nil, .ended)
        return status
    }

    private enum CodingKeys: String, CodingKey {
        case name, pid, phase, outage, refusal, generation, inFlight, waiting, waitingBytes, streamLimit, isThrottled,
            openStreams
        case host, port, proxy, credential, lateStreams, rttSeconds, drainingLinks, tokenAgeSeconds, counters
    }

    /// Writes the properties under their names; `pid` as text, and `rttSeconds` and `tokenAgeSeconds` as numbers.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(name, forKey: .name)
        try values.encodeIfPresent(pid?.description, forKey: .pid)
        try values.encode(phase.rawValue, forKey: .phase)
        try values.encodeIfPresent(outage, forKey: .outage)
        try values.encodeIfPresent(refusal?.description, forKey: .refusal)
        try values.encode(host, forKey: .host)
        try values.encode(port, forKey: .port)
        try values.encodeIfPresent(proxy, forKey: .proxy)
        try values.encode(credential, forKey: .credential)
        try values.encode(generation, forKey: .generation)
        try values.encode(inFlight, forKey: .inFlight)
        try values.encode(waiting, forKey: .waiting)
        try values.encode(waitingBytes, forKey: .waitingBytes)
        try values.encode(streamLimit, forKey: .streamLimit)
        try values.encode(isThrottled, forKey: .isThrottled)
        try values.encode(openStreams, forKey: .openStreams)
        try values.encode(lateStreams, forKey: .lateStreams)
        try values.encode(drainingLinks, forKey: .drainingLinks)
        try values.encodeIfPresent(rtt?.inSeconds, forKey: .rttSeconds)
        try values.encodeIfPresent(tokenAge?.inSeconds, forKey: .tokenAgeSeconds)
        try values.encode(counters, forKey: .counters)
    }
}
