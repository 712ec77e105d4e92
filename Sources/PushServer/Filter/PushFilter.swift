import PushInspection
import PushSimulator

/// Which pushes are meant: all conditions must hold.
struct PushFilter: Sendable, Hashable {
    /// What a status must be.
    enum Status: Sendable, Hashable {
        case exactly(Int)
        /// 4 for 400 to 499.
        case hundreds(Int)
        case accepted, refused
    }

    var topic: String?
    var type: String?
    /// The beginning of the device token, in lower case.
    var token: String?
    var status: Status?
    var reason: String?
    /// A part of the payload, an id or a header, ASCII letters without case.
    var text: String?
    /// The key of the provider token.
    var keyID: String?
    var channel: String?
    var connection: Int?
    /// A push that has this value of `x-push-session`, or that the session covers.
    var session: PushSession?

    var isEmpty: Bool { self == PushFilter() }

    func matches(_ push: InboxPush) -> Bool {
        if let topic, push.topic != topic { return false }
        if let type, (push.pushType ?? "alert") != type { return false }
        if let token, push.deviceToken?.lowercased().hasPrefix(token) != true { return false }
        if let status, !status.matches(push.status) { return false }
        if let reason, push.refusal?.rawValue != reason { return false }
        if let keyID, push.keyID != keyID { return false }
        if let channel, push.channelID != channel { return false }
        if let connection, push.request.connection.number != connection { return false }
        if let session, !session.covers(push) { return false }
        if let text { return TextSearch.finds(text, in: push) }
        return true
    }
}

extension PushFilter.Status {
    /// `200`, `4xx`, `accepted` or `refused`; nil for anything else.
    init?(_ text: some StringProtocol) {
        switch text {
        case "accepted": self = .accepted
        case "refused": self = .refused
        default:
            if text.count == 3, text.hasSuffix("xx"), let first = text.first?.wholeNumberValue, (1...5).contains(first)
            {
                self = .hundreds(first)
            } else if let status = Int(text), (100...599).contains(status) {
                self = .exactly(status)
            } else {
                return nil
            }
        }
    }

    func matches(_ status: Int) -> Bool {
        switch self {
        case .exactly(let wanted): status == wanted
        case .hundreds(let first): status / 100 == first
        case .accepted: status < 300
        case .refused: status >= 300
        }
    }

    var text: String {
        switch self {
        case .exactly(let status): "\(status)"
        case .hundreds(let first): "\(first)xx"
        case .accepted: "accepted"
        case .refused: "refused"
        }
    }
}

/// A search for a text in what a push carried.
enum TextSearch {
    static func finds(_ text: String, in push: InboxPush) -> Bool {
        let wanted = Array(text.utf8.map(lower))
        return finds(wanted, in: push.payload) || finds(wanted, in: push.headerLines)
            || push.answeredID.map { finds(wanted, in: Array($0.utf8)) } == true
            || push.deviceToken.map { finds(wanted, in: Array($0.utf8)) } == true
    }

    static func finds(_ wanted: [UInt8], in bytes: [UInt8]) -> Bool {
        guard let first = wanted.first, wanted.count <= bytes.count else { return wanted.isEmpty }
        return bytes.withUnsafeBufferPointer { bytes in
            for start in 0...(bytes.count - wanted.count) where lower(bytes[start]) == first {
                var length = 1
                while length < wanted.count, lower(bytes[start + length]) == wanted[length] { length += 1 }
                if length == wanted.count { return true }
            }
            return false
        }
    }

    private static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
