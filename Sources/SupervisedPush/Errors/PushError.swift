/// Why a push ended without an answer, and what is known about it.
///
/// A rejection by APNs is not an error but an answer, see `PushResponse`. The sentence in ``description`` says what
/// happened and what to do; it never shows a key, a provider token, a payload or a whole device token.
public struct PushError: Error, Sendable, CustomStringConvertible {
    /// The time of a push that was over first.
    @nonexhaustive public enum Deadline: String, Sendable, Hashable, CustomStringConvertible {
        /// The timeout, counted from the call or from the write.
        case timeout
        /// The absolute deadline.
        case deadline
        /// `apns-expiration`.
        case expiration
        /// ``BulkOptions/maxOutage``: no link was up for that time, and the bulk ended.
        case outage

        /// The word that JSON has for it.
        public var description: String { rawValue }
    }

    private struct Fields: Sendable {
        let code: PushError.Code
        let layer: ErrorLayer
        let certainty: Certainty
        let streamID: PushStreamID?
        let load: ConnectionLoad?
        let deadline: Deadline?
        let outage: Outage?
        var unknownAttempt: PushError.Code?
        var context: (any Sendable)?
        /// Of an overload: whether the connection's own limits had room. Nil for every other error.
        let isBudget: Bool?
        /// What happened and what to do. In an overload refusals are frequent and few are read, so their sentence is made
        /// from the other fields when it is; it is empty here.
        let sentence: String
    }

    /// Keeps an error as small as an answer: both are stored in one `Result`, and nearly all outcomes are answers.
    private final class Storage: Sendable {
        let fields: Fields
        init(_ fields: Fields) { self.fields = fields }
    }

    private var storage: Storage
    /// The push; nil if none was made, for example for an unknown name.
    public private(set) var pushID: PushID?

    /// What went wrong.
    public var code: PushError.Code { storage.fields.code }
    /// Where it went wrong.
    public var layer: ErrorLayer { storage.fields.layer }
    /// Whether APNs may have processed the push.
    public var certainty: Certainty { storage.fields.certainty }
    /// The stream of the push's last attempt; nil if it had none.
    public var streamID: PushStreamID? { storage.fields.streamID }
    /// How full the connection was, if that is the reason.
    public var load: ConnectionLoad? { storage.fields.load }
    /// Which time was over, for `timedOut` and `expired`.
    public var deadline: Deadline? { storage.fields.deadline }
    /// Why no link was up, if the push waited for one: the last failure, and when the next attempt to connect begins.
    public var outage: Outage? { storage.fields.outage }
    /// How an earlier attempt ended, if that attempt and not the last one makes the push `unknown`: `connectionLost`,
    /// `streamReset` or `badResponse`. Only with ``ResendPolicy/resendUnknown``; otherwise nil.
    public internal(set) var unknownAttempt: PushError.Code? {
        get { storage.fields.unknownAttempt }
        set {
            var fields = storage.fields
            fields.unknownAttempt = newValue
            storage = Storage(fields)
        }
    }
    /// The context of the push, so that code that handles all errors in one place knows which push it was; nil if the
    /// push had none. No description shows it.
    public var context: (any Sendable)? { storage.fields.context }
    /// What happened and what to do, in one or two sentences.
    public var description: String {
        guard let load, let isBudget = storage.fields.isBudget else { return storage.fields.sentence }
        return Self.overloadedSentence(load, isBudget: isBudget, outage: outage)
    }

    init(
        _ code: PushError.Code, at layer: ErrorLayer, certainty: Certainty, pushID: PushID? = nil,
        streamID: PushStreamID? = nil, load: ConnectionLoad? = nil, deadline: Deadline? = nil, outage: Outage? = nil,
        _ description: String
    ) {
        storage = Storage(
            Fields(
                code: code, layer: layer, certainty: certainty, streamID: streamID, load: load, deadline: deadline,
                outage: outage, isBudget: nil, sentence: description))
        self.pushID = pushID
    }

    /// - Parameter isBudget: Whether the connection's own limits had room.
    static func overloaded(_ load: ConnectionLoad, isBudget: Bool, outage: Outage?, pushID: PushID?) -> Self {
        Self(
            Fields(
                code: .overloaded, layer: .request, certainty: .notSent, streamID: nil, load: load, deadline: nil,
                outage: outage, isBudget: isBudget, sentence: ""),
            pushID: pushID)
    }

    private init(_ fields: Fields, pushID: PushID?) {
        storage = Storage(fields)
        self.pushID = pushID
    }

    /// Makes an error, for a fake of ``PushSending``.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - layer: The layer that failed. Default: the call.
    ///   - certainty: Whether APNs may have processed the push.
    ///   - description: What happened and what to do. Default: the code's name.
    public init(_ code: Code, layer: ErrorLayer = .request, certainty: Certainty, description: String? = nil) {
        self.init(code, at: layer, certainty: certainty, description ?? code.name)
    }

    /// The error for this push.
    func of(_ pushID: PushID) -> PushError {
        var copy = self
        copy.pushID = pushID
        return copy
    }

    /// Whether it says that a queue is full, and this of it.
    func isOverloaded(_ load: ConnectionLoad, isBudget: Bool) -> Bool {
        storage.fields.load == load && storage.fields.isBudget == isBudget
    }

    /// The error with the context of the push.
    func carrying(_ context: (any Sendable)?) -> PushError {
        guard let context, storage.fields.context == nil else { return self }
        var copy = self
        var fields = storage.fields
        fields.context = context
        copy.storage = Storage(fields)
        return copy
    }
}

extension Result where Success == PushResponse, Failure == PushError {
    /// The outcome with the context of the push.
    package func carrying(_ context: (any Sendable)?) -> Self {
        guard let context else { return self }
        return switch self {
        case .success(let response): .success(response.carrying(context))
        case .failure(let error): .failure(error.carrying(context))
        }
    }
}

/// Adds the context of the push to the errors of a call.
func carrying<Value>(
    _ context: (any Sendable)?, _ body: () throws(PushError) -> Value
) throws(PushError) -> Value {
    do { return try body() } catch { throw error.carrying(context) }
}

/// The layer that failed. Look there first.
public struct ErrorLayer: Sendable, Hashable, CustomStringConvertible {
    /// The layer's name: a fixed word, suitable as a metric's label.
    public let name: String

    /// The call itself: an unknown name, a payload that cannot be sent, a full queue.
    public static let request = Self(name: "request")
    /// This library's own process: closed, ended, or failed.
    public static let process = Self(name: "process")
    /// The credential: its key, certificate or provider token could not be loaded.
    public static let credential = Self(name: "credential")
    /// The name of the host could not be resolved.
    public static let resolve = Self(name: "resolve")
    /// A TCP connection could not be established.
    public static let connect = Self(name: "connect")
    /// The proxy refused or failed.
    public static let proxy = Self(name: "proxy")
    /// The TLS handshake or a TLS record failed.
    public static let tls = Self(name: "tls")
    /// An established connection broke.
    public static let socket = Self(name: "socket")
    /// HTTP/2: a reset stream, GOAWAY, a protocol error.
    public static let http2 = Self(name: "http2")
    /// APNs: it refused a credential, or its answer was invalid.
    public static let apns = Self(name: "apns")

    /// The layer's name.
    public var description: String { name }
}

/// How full a connection is.
public struct ConnectionLoad: Sendable, Hashable {
    /// Pushes written and not answered.
    public let inFlight: Int
    /// Pushes that wait to be written for the first time, and answered ones whose completion has not returned.
    public let waiting: Int
    /// Pushes that were written before and wait to be sent again: after a lost link, GOAWAY, a refused stream, or an
    /// answer that is retried. They do not count against the limit.
    public let retrying: Int
    /// How many may wait.
    public let limit: Int
}
