/// The JSON body of a push, encoded once and shared by every copy.
///
/// Make one payload and push it to a million device tokens: it is written to bytes in the initialiser and never again.
/// Descriptions show its size only.
public struct Payload: Hashable, Sendable {
    /// The JSON, as it is sent.
    public let bytes: [UInt8]

    /// How many levels of objects and lists JSON may have that is read here, so that no input exhausts the stack.
    package static let maxDepth = 128

    /// What the rules of the push types ask.
    package let facts: PayloadFacts

    /// Number of bytes, which APNs limits to 4096, and to 5120 for `voip` and broadcasts.
    public var count: Int { bytes.count }

    /// Writes an `aps` object of these parts. A part that is nil is left out.
    ///
    /// - Parameters:
    ///   - title: the first line of the alert.
    ///   - subtitle: the second line of the alert.
    ///   - body: the text of the alert.
    ///   - badge: the number on the app's icon. 0 clears it, nil leaves it alone.
    ///   - sound: a sound file of the app, or `default`.
    ///   - category: the id of a registered notification category.
    ///   - threadID: notifications of one id are grouped.
    ///   - targetContentID: the window that is brought forward.
    ///   - contentAvailable: wakes the app in the background.
    ///   - mutableContent: runs the app's notification service extension first.
    public init(
        title: String? = nil, subtitle: String? = nil, body: String? = nil, badge: Int? = nil, sound: String? = nil,
        category: String? = nil, threadID: String? = nil, targetContentID: String? = nil,
        contentAvailable: Bool = false, mutableContent: Bool = false
    ) {
        self.init(
            checked: .usual(
                title, subtitle, body, badge, sound, category, threadID, targetContentID, contentAvailable,
                mutableContent), [:])
    }

    /// Writes an `aps` object of these parts, and your own values beside it.
    ///
    /// - Parameters:
    ///   - custom: values the app finds beside `aps`, written in the order of their names.
    /// - Throws: `InvalidPush` with the code `.customKeyReserved` for a value named `aps`, `.customValueNotFinite` for a
    ///   number that JSON cannot hold.
    public init(
        title: String? = nil, subtitle: String? = nil, body: String? = nil, badge: Int? = nil, sound: String? = nil,
        category: String? = nil, threadID: String? = nil, targetContentID: String? = nil,
        contentAvailable: Bool = false, mutableContent: Bool = false, custom: [String: JSONValue]
    ) throws(InvalidPush) {
        try self.init(
            .usual(
                title, subtitle, body, badge, sound, category, threadID, targetContentID, contentAvailable,
                mutableContent), custom: custom)
    }

    /// Writes an `aps` object with any of its keys, and your own values beside it.
    ///
    /// - Parameters:
    ///   - custom: values the app finds beside `aps`, written in the order of their names.
    ///   - fit: what happens if it is over `limit`; by default nothing: the push is refused later.
    ///   - limit: bytes; by default the 4096 of all device pushes but `voip`.
    /// - Throws: `InvalidPush`: `.customKeyReserved` for a value named `aps`, `.customValueNotFinite`, `.volumeOutOfRange`,
    ///   `.relevanceOutOfRange`, and `.payloadTooLarge` if it was to be made to fit and cannot be.
    public init(
        _ aps: APS, custom: [String: JSONValue] = [:], fit: PayloadFit = .reject,
        limit: Int = PushType.alert.maxPayloadBytes
    ) throws(InvalidPush) {
        if custom["aps"] != nil { throw InvalidPush(.customKeyReserved) }
        guard custom.values.allSatisfy(\.isFinite) else { throw InvalidPush(.customValueNotFinite) }
        if let problem = aps.problem { throw problem }
        try self.init(Payload(checked: aps, custom), fit, limit)
    }

    /// Writes an `aps` object with any of its keys, and the members of your own type beside it.
    ///
    /// - Parameters:
    ///   - content: encoded by ``EncodedJSON``; it has to become an object, whose members stand beside `aps`.
    ///   - fit: what happens if it is over `limit`; by default nothing: the push is refused later.
    ///   - limit: bytes; by default the 4096 of all device pushes but `voip`.
    /// - Throws: `InvalidPush`: `.contentNotEncodable`, `.contentNotObject`, `.customKeyReserved` for a member named `aps`,
    ///   `.volumeOutOfRange`, `.relevanceOutOfRange`, and `.payloadTooLarge` if it was to be made to fit and cannot be.
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
        try self.init(Payload(bytes: writer.bytes, facts: PayloadFacts(aps)), fit, limit)
    }

    /// Takes the encoded form of your own type as the whole payload, without `aps`: for the pushes that need none, as `voip`.
    ///
    /// - Throws: `InvalidPush` with the code `.contentNotEncodable` or `.contentNotObject`, the latter also for more than 128 levels.
    public init(content: some Encodable) throws(InvalidPush) {
        let content = try EncodedJSON(content)
        guard let facts = PayloadFacts(of: content.bytes) else { throw InvalidPush(.contentNotObject) }
        self.init(bytes: content.bytes, facts: facts)
    }

    /// Takes JSON that is already written, and checks that it is one JSON object in UTF-8, nested at most 128 levels deep.
    ///
    /// - Throws: `InvalidPush` with the code `.payloadEmpty` or `.payloadNotJSON`.
    public init(json bytes: [UInt8]) throws(InvalidPush) {
        if bytes.isEmpty { throw InvalidPush(.payloadEmpty) }
        guard String(validating: bytes, as: UTF8.self) != nil, let facts = PayloadFacts(of: bytes) else {
            throw InvalidPush(.payloadNotJSON)
        }
        self.init(bytes: bytes, facts: facts)
    }

    /// Takes JSON that is already written, and checks that it is one JSON object, nested at most 128 levels deep.
    ///
    /// - Throws: `InvalidPush` with the code `.payloadEmpty` or `.payloadNotJSON`.
    public init(json text: String) throws(InvalidPush) {
        try self.init(json: Array(text.utf8))
    }

    /// Takes bytes as they are: for what these checks do not know, and for tests of a server. The push type of such a
    /// payload is not inferred, without one it goes as `alert`, and no rule looks at its content.
    public init(unchecked bytes: [UInt8]) {
        self.init(bytes: bytes, facts: [])
    }

    /// A copy that is made to fit as `fit` says, unchanged if it fits already.
    ///
    /// - Parameter limit: bytes, by default the 4096 of all device pushes but `voip`.
    /// - Throws: `InvalidPush` with the code `.payloadTooLarge` if it cannot be made to fit: what is too long is something else
    ///   than the body of its alert, or the body is localized.
    public func fitted(
        _ fit: PayloadFit = .truncateBody, limit: Int = PushType.alert.maxPayloadBytes
    ) throws(InvalidPush) -> Payload {
        try Payload(self, fit, limit)
    }

    private init(_ payload: Payload, _ fit: PayloadFit, _ limit: Int) throws(InvalidPush) {
        guard fit == .truncateBody, payload.count > limit else {
            self = payload
            return
        }
        self.init(bytes: try BodyCut.fit(payload.bytes, limit: limit), facts: payload.facts)
    }

    /// Takes what was written here.
    init(written bytes: [UInt8], _ facts: PayloadFacts = .known) { self.init(bytes: bytes, facts: facts) }

    /// Writes what was checked, or cannot be wrong.
    init(checked aps: APS, _ custom: [String: JSONValue]) {
        var writer = JSONWriter(capacity: aps.estimatedBytes + custom.count * 32)
        writer.beginObject()
        writer.name("aps")
        aps.write(into: &writer)
        writer.members(custom)
        writer.endObject()
        self.init(bytes: writer.bytes, facts: PayloadFacts(aps))
    }

    private init(bytes: [UInt8], facts: PayloadFacts) {
        self.bytes = bytes
        self.facts = facts
    }
}

extension APS {
    /// The parts that the short forms name.
    fileprivate static func usual(
        _ title: String?, _ subtitle: String?, _ body: String?, _ badge: Int?, _ sound: String?, _ category: String?,
        _ threadID: String?, _ targetContentID: String?, _ contentAvailable: Bool, _ mutableContent: Bool
    ) -> APS {
        var aps = APS(badge: badge, sound: sound.map { Sound($0) }, threadID: threadID, category: category)
        if title != nil || subtitle != nil || body != nil {
            aps.alert = Alert(
                title: title.map { AlertText($0) }, subtitle: subtitle.map { AlertText($0) },
                body: body.map { AlertText($0) })
        }
        aps.targetContentID = targetContentID
        aps.contentAvailable = contentAvailable
        aps.mutableContent = mutableContent
        return aps
    }
}

extension Payload: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The size, and nothing of the content.
    public var description: String { "Payload(\(bytes.count) bytes)" }

    /// The size, and nothing of the content.
    public var debugDescription: String { description }

    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
