/// Why a push ended without an answer, and what is known of its fate.
///
/// A rejection by APNs is not an error: it is an answer, see `PushResponse`. The sentence in ``description`` says what
/// happened and what to do; it never shows a key, a provider token, a payload or a whole device token.
public struct PushError: Error, Sendable, CustomStringConvertible {
    /// Which of a push's times was over first.
    @nonexhaustive public enum Deadline: String, Sendable, Hashable {
        /// The timeout, counted from the call or from the write.
        case timeout
        /// The absolute deadline.
        case deadline
        /// `apns-expiration`.
        case expiration
        /// ``BulkOptions/maxOutage``: no link was up for so long, and the bulk ended.
        case outage
    }

    private struct Fields: Sendable {
        let code: PushError.Code
        let layer: ErrorLayer
        let certainty: Certainty
        let pushID: PushID?
        let streamID: PushStreamID?
        let load: ConnectionLoad?
        let deadline: Deadline?
        let outage: Outage?
        var unknownAttempt: PushError.Code?
        var context: (any Sendable)?
        let description: String
    }

    /// Makes an error as small as an answer is: both travel in one `Result`, and nearly all of those are answers.
    private final class Storage: Sendable {
        let fields: Fields
        init(_ fields: Fields) { self.fields = fields }
    }

    private var storage: Storage

    /// What went wrong.
    public var code: PushError.Code { storage.fields.code }
    /// Where it went wrong.
    public var layer: ErrorLayer { storage.fields.layer }
    /// Whether APNs may have processed the push.
    public var certainty: Certainty { storage.fields.certainty }
    /// The push; nil if none was made, as for an unknown name.
    public var pushID: PushID? { storage.fields.pushID }
    /// The stream of the push's last attempt; nil if it never had one.
    public var streamID: PushStreamID? { storage.fields.streamID }
    /// How full the connection was, where that is the reason.
    public var load: ConnectionLoad? { storage.fields.load }
    /// Which time was over, for `timedOut` and `expired`.
    public var deadline: Deadline? { storage.fields.deadline }
    /// Why no link was up, where the push waited for one: the last failure, and when the next attempt to connect
    /// begins.
    public var outage: Outage? { storage.fields.outage }
    /// How an earlier attempt ended unknown, where that makes the push `unknown` and not its last attempt:
    /// `connectionLost`, `streamReset` or `badResponse`. Only with ``ResendPolicy/resendUnknown``; nil otherwise.
    public internal(set) var unknownAttempt: PushError.Code? {
        get { storage.fields.unknownAttempt }
        set {
            var fields = storage.fields
            fields.unknownAttempt = newValue
            storage = Storage(fields)
        }
    }
    /// What the caller gave along with the push, so that who handles errors in one place knows which push it was; nil
    /// if nothing was given. No text shows it.
    public var context: (any Sendable)? { storage.fields.context }
    /// What happened and what to do, one sentence or two.
    public var description: String { storage.fields.description }

    init(
        _ code: PushError.Code, _ layer: ErrorLayer, _ certainty: Certainty, pushID: PushID? = nil,
        streamID: PushStreamID? = nil, load: ConnectionLoad? = nil, deadline: Deadline? = nil, outage: Outage? = nil,
        _ description: String
    ) {
        storage = Storage(
            Fields(
                code: code, layer: layer, certainty: certainty, pushID: pushID, streamID: streamID, load: load,
                deadline: deadline, outage: outage, description: description))
    }

    /// Makes an error, for a fake of ``PushSending``.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - layer: Where it went wrong. Default: at the call.
    ///   - certainty: Whether APNs may have processed the push.
    ///   - description: What happened and what to do. Default: the code's name.
    public init(_ code: Code, layer: ErrorLayer = .request, certainty: Certainty, description: String? = nil) {
        self.init(code, layer, certainty, description ?? code.name)
    }

    /// The error for this push.
    func of(_ pushID: PushID) -> PushError {
        let fields = storage.fields
        return PushError(
            fields.code, fields.layer, fields.certainty, pushID: pushID, streamID: fields.streamID, load: fields.load,
            deadline: fields.deadline, outage: fields.outage, fields.description)
    }

    /// The error with what the caller gave along.
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
    /// The outcome with what the caller gave along with the push.
    func carrying(_ context: (any Sendable)?) -> Self {
        guard let context else { return self }
        return switch self {
        case .success(let response): .success(response.carrying(context))
        case .failure(let error): .failure(error.carrying(context))
        }
    }
}

/// Has the errors of a call carry what the caller gave along.
func carrying<Value>(
    _ context: (any Sendable)?, _ body: () throws(PushError) -> Value
) throws(PushError) -> Value {
    do { return try body() } catch { throw error.carrying(context) }
}
