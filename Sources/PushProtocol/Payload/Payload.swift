/// The JSON body of a push, encoded once and shared by every copy.
///
/// Make one payload and push it to a million devices: the initializer encodes it, and nothing encodes it again.
/// Descriptions show only its size.
public struct Payload: Hashable, Sendable {
    /// The JSON, as it is sent.
    public let bytes: [UInt8]

    /// How many levels of objects and arrays are read, so that no input exhausts the stack.
    package static let maxDepth = 128

    /// The facts that the rules of the push types check.
    package let facts: PayloadFacts

    /// The number of bytes. APNs allows 4096, and 5120 for `voip` and broadcasts.
    public var count: Int { bytes.count }

    /// Writes an `aps` object with these parts. A part that is nil is left out.
    ///
    /// - Parameters:
    ///   - title: The first line of the alert.
    ///   - subtitle: The second line of the alert.
    ///   - body: The text of the alert.
    ///   - badge: The number on the app's icon. 0 removes it; nil keeps it.
    ///   - sound: A sound file of the app, or `default`.
    ///   - category: The id of a registered notification category.
    ///   - threadID: Groups notifications with the same id.
    ///   - targetContentID: The window to bring forward.
    ///   - contentAvailable: Whether to wake the app in the background.
    ///   - mutableContent: Whether to run the app's notification service extension first.
    ///   - interruptionLevel: How much the notification may interrupt.
    public init(
        title: String? = nil, subtitle: String? = nil, body: String? = nil, badge: Int? = nil, sound: String? = nil,
        category: String? = nil, threadID: String? = nil, targetContentID: String? = nil,
        contentAvailable: Bool = false, mutableContent: Bool = false, interruptionLevel: InterruptionLevel? = nil
    ) {
        let aps = APS.parts(
            title: title, subtitle: subtitle, body: body, badge: badge, sound: sound, category: category,
            threadID: threadID, targetContentID: targetContentID, contentAvailable: contentAvailable,
            mutableContent: mutableContent, interruptionLevel: interruptionLevel)
        self = aps.payload([:])
    }

    /// Writes an `aps` object with these parts, and your own values beside it.
    ///
    /// - Parameters:
    ///   - title: The alert's title.
    ///   - subtitle: The alert's subtitle.
    ///   - body: The alert's text.
    ///   - badge: The number on the app's icon; 0 removes it.
    ///   - sound: The name of a sound, or `default`.
    ///   - category: The category of the notification's actions.
    ///   - threadID: Groups notifications.
    ///   - targetContentID: The window to bring forward.
    ///   - contentAvailable: Whether the app is woken in the background.
    ///   - mutableContent: Whether the app's service extension may change the notification.
    ///   - interruptionLevel: How much the notification may interrupt.
    ///   - custom: Values beside `aps`, written in the order of their names.
    /// - Throws: `InvalidPush` with the code `.customKeyReserved` for a value named `aps`, or `.customValueNotFinite`
    ///   for a number that JSON cannot represent.
    public init(
        title: String? = nil, subtitle: String? = nil, body: String? = nil, badge: Int? = nil, sound: String? = nil,
        category: String? = nil, threadID: String? = nil, targetContentID: String? = nil,
        contentAvailable: Bool = false, mutableContent: Bool = false, interruptionLevel: InterruptionLevel? = nil,
        content custom: [String: JSONValue]
    ) throws(InvalidPush) {
        try self.init(
            .parts(
                title: title, subtitle: subtitle, body: body, badge: badge, sound: sound, category: category,
                threadID: threadID, targetContentID: targetContentID, contentAvailable: contentAvailable,
                mutableContent: mutableContent, interruptionLevel: interruptionLevel), content: custom)
    }

    /// Writes an `aps` object with any of its keys, and your own values beside it.
    ///
    /// - Parameters:
    ///   - aps: The content of `aps`.
    ///   - custom: Values beside `aps`, written in the order of their names.
    ///   - fit: What to do if the payload exceeds `limit`. By default nothing: pushing it throws an error.
    ///   - limit: The limit in bytes. By default 4096, which applies to all pushes to devices except `voip`.
    /// - Throws: `InvalidPush` with the code `.customKeyReserved` for a value named `aps`, `.customValueNotFinite`,
    ///   `.volumeOutOfRange`, `.relevanceOutOfRange`, or `.payloadTooLarge` if it cannot be cut to fit.
    public init(
        _ aps: APS, content custom: [String: JSONValue] = [:], fit: PayloadFit = .reject,
        limit: Int = PushType.alert.maxPayloadBytes
    ) throws(InvalidPush) {
        if custom["aps"] != nil { throw InvalidPush(.customKeyReserved) }
        guard custom.values.allSatisfy(\.isFinite) else { throw InvalidPush(.customValueNotFinite) }
        if let problem = aps.problem { throw problem }
        try self.init(aps.payload(custom), fit: fit, limit: limit)
    }

    /// Writes an `aps` object with any of its keys, and the members of your own type beside it.
    ///
    /// - Parameters:
    ///   - aps: The content of `aps`.
    ///   - content: Encoded by ``EncodedJSON``. It must become an object, whose members are placed beside `aps`.
    ///   - fit: What to do if the payload exceeds `limit`. By default nothing: pushing it throws an error.
    ///   - limit: The limit in bytes. By default 4096, which applies to all pushes to devices except `voip`.
    /// - Throws: `InvalidPush` with the code `.contentNotEncodable`, `.contentNotObject`, `.customKeyReserved` for a
    ///   member named `aps`, `.volumeOutOfRange`, `.relevanceOutOfRange`, or `.payloadTooLarge` if it cannot be cut to
    ///   fit.
    public init(
        _ aps: APS, content: some Encodable, fit: PayloadFit = .reject, limit: Int = PushType.alert.maxPayloadBytes
    ) throws(InvalidPush) {
        if let problem = aps.problem { throw problem }
        let content = try EncodedJSON(content)
        let members = try content.members()
        var writer = JSONWriter(capacity: aps.estimatedBytes + content.bytes.count)
        writer.beginObject()
        writer.name("aps")
        aps.write(into: &writer)
        writer.members(members)
        writer.endObject()
        try self.init(
            Payload(bytes: writer.bytes, facts: aps.facts(isAlone: members.allSatisfy { $0 <= 0x20 })), fit: fit,
            limit: limit)
    }

    /// Uses the encoded form of your own type as the whole payload, without `aps`. For push types that do not need one,
    /// such as `voip`.
    ///
    /// - Throws: `InvalidPush` with the code `.contentNotEncodable`, or `.contentNotObject`, also for more than 128
    ///   levels.
    public init(content: some Encodable) throws(InvalidPush) {
        let content = try EncodedJSON(content)
        guard let facts = PayloadFacts(of: content.bytes) else { throw InvalidPush(.contentNotObject) }
        self.init(bytes: content.bytes, facts: facts)
    }

    /// Uses JSON that is already encoded. It must be one JSON object in UTF-8 with at most 128 levels.
    ///
    /// - Throws: `InvalidPush` with the code `.payloadEmpty` or `.payloadNotJSON`.
    public init(json bytes: [UInt8]) throws(InvalidPush) {
        if bytes.isEmpty { throw InvalidPush(.payloadEmpty) }
        guard bytes.isUTF8, let facts = PayloadFacts(of: bytes) else { throw InvalidPush(.payloadNotJSON) }
        self.init(bytes: bytes, facts: facts)
    }

    /// Uses JSON that is already encoded. It must be one JSON object with at most 128 levels.
    ///
    /// - Throws: `InvalidPush` with the code `.payloadEmpty` or `.payloadNotJSON`.
    public init(json text: String) throws(InvalidPush) {
        try self.init(json: Array(text.utf8))
    }

    /// Uses bytes without any check: for what the checks do not know, and for tests of a server. The push type of such
    /// a payload is not inferred (without one it is `alert`), and no rule checks its content.
    public init(unchecked bytes: [UInt8]) {
        self.init(bytes: bytes, facts: [])
    }

    /// Returns a copy that fits the limit; unchanged if it already fits.
    ///
    /// - Parameters:
    ///   - fit: How to cut it.
    ///   - limit: The limit in bytes. By default 4096, which applies to all pushes to devices except `voip`.
    /// - Throws: `InvalidPush` with the code `.payloadTooLarge` if it cannot be cut to fit: something other than the
    ///   body of its alert is too long, or the body is localized.
    public func fitted(
        _ fit: PayloadFit = .truncateBody, limit: Int = PushType.alert.maxPayloadBytes
    ) throws(InvalidPush) -> Payload {
        try Payload(self, fit: fit, limit: limit)
    }

    private init(_ payload: Payload, fit: PayloadFit, limit: Int) throws(InvalidPush) {
        guard fit == .truncateBody, payload.count > limit else {
            self = payload
            return
        }
        self.init(bytes: try BodyCut.fit(payload.bytes, limit: limit), facts: payload.facts)
    }

    /// Uses JSON that differs from another payload in values only, none of which changes its facts.
    package init(_ bytes: [UInt8], like other: Payload) { self.init(bytes: bytes, facts: other.facts) }

    /// Uses JSON written by this module.
    init(written bytes: [UInt8], facts: PayloadFacts = .known) { self.init(bytes: bytes, facts: facts) }

    fileprivate init(bytes: [UInt8], facts: PayloadFacts) {
        self.bytes = bytes
        self.facts = facts
    }
}

extension APS {
    /// The payload with this object, which was checked or cannot be invalid, and the values beside it.
    ///
    /// Not an initializer of the payload: that would take a copy of its argument.
    func payload(_ custom: [String: JSONValue]) -> Payload {
        var writer = JSONWriter(capacity: estimatedBytes + custom.count * 32)
        writer.beginObject()
        writer.name("aps")
        write(into: &writer)
        writer.members(custom)
        writer.endObject()
        return Payload(bytes: writer.bytes, facts: facts(isAlone: custom.isEmpty))
    }
}

extension Payload: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows the size, but no content.
    public var description: String { "Payload(\(bytes.count) bytes)" }

    /// Same as `description`.
    public var debugDescription: String { description }

    /// Contains nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What to do with a payload that exceeds its limit.
public enum PayloadFit: Hashable, Sendable {
    /// Leave it unchanged. Pushing it throws an error with the code `.payloadTooLarge` before anything is sent.
    case reject
    /// Cut the body of its alert after a character and append an ellipsis (…), so that as much as possible remains.
    /// Spaces before the ellipsis are removed. Nothing else is ever cut.
    case truncateBody
}
