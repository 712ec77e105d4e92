import FoundationEssentials

/// Why a connection has no link: the last failure, and when the next attempt to connect begins.
public struct Outage: Sendable, Hashable, Codable, CustomStringConvertible {
    /// Why the last attempt failed, or why the last link was lost.
    public let cause: LinkFailure
    /// The number of the next or present attempt to connect: 1, 2, 3 … since the last link that was of use. The very
    /// first attempt does not count.
    public let attempt: Int
    /// When that attempt begins; nil while it is under way.
    public let nextAttempt: Date?

    /// Creates an outage, for tests of code that handles one.
    ///
    /// - Parameters:
    ///   - cause: The last failure.
    ///   - attempt: Which attempt is next or under way, from 1.
    ///   - nextAttempt: When it begins; nil while it is under way.
    public init(cause: LinkFailure, attempt: Int, nextAttempt: Date?) {
        self.cause = cause
        self.attempt = attempt
        self.nextAttempt = nextAttempt
    }

    /// One sentence or two, for an error of something that waited for a link.
    var sentence: String { "\(cause.description) \(next)" }

    private var next: String {
        guard let nextAttempt else { return "Attempt \(attempt) to connect is under way." }
        return "Attempt \(attempt) to connect begins at \(nextAttempt.timestamp)."
    }

    /// The cause and the next attempt, in one or two sentences.
    public var description: String { sentence }

    private enum CodingKeys: String, CodingKey {
        case layer, cause, attempt, nextAttempt
    }

    /// Writes `layer`, `cause`, `attempt` and `nextAttempt`.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(cause.layer.name, forKey: .layer)
        try values.encode(cause.description, forKey: .cause)
        try values.encode(attempt, forKey: .attempt)
        try values.encodeIfPresent(nextAttempt, forKey: .nextAttempt)
    }

    /// Reads what `encode(to:)` has written.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let layer = ErrorLayer(name: try values.decode(String.self, forKey: .layer))
        self.init(
            cause: LinkFailure(layer, try values.decode(String.self, forKey: .cause)),
            attempt: try values.decode(Int.self, forKey: .attempt),
            nextAttempt: try values.decodeIfPresent(Date.self, forKey: .nextAttempt))
    }
}

extension Outage? {
    /// The cause as a part of an error's text, followed by a space; empty if there is none.
    var asReason: String { map { "No link is up: \($0.cause.description) " } ?? "" }
}
