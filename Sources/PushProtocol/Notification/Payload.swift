/// The JSON body of a push, encoded once and shared by every copy.
///
/// Make one payload and push it to a million device tokens: it is written to bytes in the initialiser and never again.
/// Descriptions show its size only.
public struct Payload: Hashable, Sendable {
    /// The JSON, as it is sent.
    public let bytes: [UInt8]

    /// Whether `aps` holds `content-available: 1` and nothing else, which makes it a background push.
    package let isBackgroundOnly: Bool

    /// Number of bytes, which APNs limits to 4096, and to 5120 for `voip`.
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
        let aps = APSFields(
            title: title, subtitle: subtitle, body: body, badge: badge, sound: sound, category: category,
            threadID: threadID, targetContentID: targetContentID, contentAvailable: contentAvailable,
            mutableContent: mutableContent)
        self.init(aps, custom: [:])
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
        if custom["aps"] != nil { throw InvalidPush(.customKeyReserved) }
        guard custom.values.allSatisfy(\.isFinite) else { throw InvalidPush(.customValueNotFinite) }
        let aps = APSFields(
            title: title, subtitle: subtitle, body: body, badge: badge, sound: sound, category: category,
            threadID: threadID, targetContentID: targetContentID, contentAvailable: contentAvailable,
            mutableContent: mutableContent)
        self.init(aps, custom: custom)
    }

    /// Takes JSON that is already written, and checks that it is one JSON object in UTF-8.
    ///
    /// - Throws: `InvalidPush` with the code `.payloadEmpty` or `.payloadNotJSON`.
    public init(json bytes: [UInt8]) throws(InvalidPush) {
        if bytes.isEmpty { throw InvalidPush(.payloadEmpty) }
        guard String(validating: bytes, as: UTF8.self) != nil, let shape = PayloadShape(of: bytes) else {
            throw InvalidPush(.payloadNotJSON)
        }
        self.bytes = bytes
        isBackgroundOnly = shape == .backgroundOnly
    }

    /// Takes JSON that is already written, and checks that it is one JSON object.
    ///
    /// - Throws: `InvalidPush` with the code `.payloadEmpty` or `.payloadNotJSON`.
    public init(json text: String) throws(InvalidPush) {
        try self.init(json: Array(text.utf8))
    }

    /// Takes bytes as they are: for what these checks do not know, and for tests of a server. The push type of such a
    /// payload is not inferred; without one it goes as `alert`.
    public init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
        isBackgroundOnly = false
    }

    private init(_ aps: APSFields, custom: [String: JSONValue]) {
        var writer = JSONWriter(capacity: aps.estimatedBytes + custom.count * 32)
        writer.beginObject()
        writer.name("aps")
        aps.write(into: &writer)
        writer.members(custom)
        writer.endObject()
        bytes = writer.bytes
        isBackgroundOnly = aps.isBackgroundOnly
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

extension JSONValue {
    /// Whether JSON can hold every number in it.
    fileprivate var isFinite: Bool {
        switch self {
        case .double(let number): number.isFinite
        case .array(let elements): elements.allSatisfy(\.isFinite)
        case .object(let members): members.values.allSatisfy(\.isFinite)
        case .null, .bool, .integer, .string: true
        }
    }
}
