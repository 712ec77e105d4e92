import FoundationEssentials
import PushProtocol
import SupervisedPush

extension EntryFields {
    /// The entry that the values describe.
    ///
    /// - Parameter fallback: The id of an entry that a producer stored without one.
    /// - Throws: `invalidEntry` with a sentence that names the value that is wrong, and shows none.
    package static func decode(_ fields: [EntryField], fallback: EntryID) throws(QueueError) -> QueueEntry {
        var reader = EntryReader(fallback)
        var seen: UInt32 = 0
        for field in fields {
            guard let name = EntryField.Name(rawValue: field.name) else {
                throw invalid(isShowable(field.name) ? "has a field '\(field.name)', which no entry has" : Self.oddName)
            }
            guard seen & name.bit == 0 else { throw invalid("has more than one \(name.rawValue)") }
            seen |= name.bit
            do { try reader.read(name, field) } catch {
                throw (error as? QueueError) ?? invalid("has an invalid \(name.rawValue): \(error)")
            }
        }
        return try reader.entry()
    }

    private static let oddName =
        "has a field with a name that no entry has; values with spaces must be in quotation marks"

    /// Whether it is a name that a person may have meant. Where words are in the wrong places, a name is a device token
    /// or a part of a payload, which no error shows.
    private static func isShowable(_ name: String) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        return 1...20 ~= name.utf8.count
            && name.utf8.allSatisfy { letters ~= $0 || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    }

    fileprivate static func invalid(_ what: String) -> QueueError {
        QueueError(.invalidEntry, "The entry \(what).")
    }
}

/// Reads one entry, field by field.
private struct EntryReader {
    private var id: EntryID
    private var tokens: [DeviceToken] = []
    private var payload: Payload?
    private var headers: RequestHeaders?
    private var waived: PushRules?
    private var topic: Topic?
    private var pushType: PushType?
    private var priority: PushPriority?
    private var expiration: Expiration?
    private var collapseID: CollapseID?
    private var timeout: Duration?
    private var notBefore: Date?
    private var deadline: Date?
    private var neverRepeats = false
    private var campaign: CampaignName?
    private var isUrgent = false

    init(_ fallback: EntryID) { id = fallback }

    mutating func read(_ name: EntryField.Name, _ field: EntryField) throws {
        switch name {
        case .tokens: tokens = try Self.tokens(field.value)
        case .payload: payload = try Payload(json: field.value)
        case .id:
            let id = field.value.withUnsafeBufferPointer { EntryID(digits: $0) }
            self.id = try Self.value(of: name, parsed: id, valid: "32 hexadecimal digits")
        case .headers: headers = try JSONDecoder().decode(RequestHeaders.self, from: Data(field.value))
        default:
            guard let text = field.text else { throw EntryFields.invalid("has a \(name.rawValue) that is not UTF-8") }
            try read(name, text)
        }
    }

    private mutating func read(_ name: EntryField.Name, _ text: String) throws {
        switch name {
        case .topic: topic = Topic(rawValue: text)
        case .pushType: pushType = PushType(rawValue: text)
        case .priority: priority = try Self.priority(text)
        case .expiration: expiration = try Self.expiration(text)
        case .collapseID: collapseID = try CollapseID(text, maxBytes: .max)
        case .timeout: timeout = try Self.timeout(text)
        case .waived: waived = try Self.rules(text)
        case .notBefore: notBefore = Date(timeIntervalSince1970: try Self.seconds(name, text))
        case .deadline: deadline = Date(timeIntervalSince1970: try Self.seconds(name, text))
        case .once: neverRepeats = try Self.flag(name, text)
        case .urgent: isUrgent = try Self.flag(name, text)
        case .campaign:
            campaign = try Self.value(
                of: name, parsed: try? CampaignName(text),
                valid: "1 to 100 letters, digits, periods, hyphens and low lines")
        case .id, .tokens, .payload, .headers: break
        }
    }

    consuming func entry() throws(QueueError) -> QueueEntry {
        guard let payload else { throw EntryFields.invalid("has no payload") }
        guard !tokens.isEmpty else { throw EntryFields.invalid("has no tokens") }
        var notification = PushNotification(
            payload: payload, pushType: pushType, topic: topic, priority: priority, expiration: expiration,
            collapseID: collapseID, timeout: timeout)
        if let headers { notification.headers = headers }
        if let waived { notification.waived = waived }
        return try QueueEntry(
            notification, to: tokens, id: id, notBefore: notBefore, deadline: deadline, neverRepeats: neverRepeats,
            campaign: campaign, isUrgent: isUrgent)
    }

    /// Any number of spaces separates two tokens, and may stand before the first and behind the last.
    private static func tokens(_ text: [UInt8]) throws(QueueError) -> [DeviceToken] {
        var tokens: [DeviceToken] = []
        // Most have 64 digits.
        tokens.reserveCapacity((text.count + 1) / 65)
        var start = 0
        while start < text.count {
            let end = text[start...].firstIndex(of: UInt8(ascii: " ")) ?? text.count
            if end > start { tokens.append(try token(text[start..<end])) }
            start = end + 1
        }
        return tokens
    }

    private static func token(_ digits: ArraySlice<UInt8>) throws(QueueError) -> DeviceToken {
        do { return try DeviceToken(String(decoding: digits, as: UTF8.self)) } catch {
            throw EntryFields.invalid("has a device token that is not valid: \(error)")
        }
    }

    /// APNs would refuse any other, once for each token.
    private static func priority(_ text: String) throws(QueueError) -> PushPriority {
        let priority = Int(text).map(PushPriority.init(rawValue:))
        let isKnown = priority == .immediate || priority == .conserving || priority == .low
        return try value(of: .priority, parsed: isKnown ? priority : nil, valid: "1, 5 or 10")
    }

    private static func expiration(_ text: String) throws(QueueError) -> Expiration {
        if text == "by_server" { return .byServer }
        return Expiration(
            unixSeconds: try value(
                of: .expiration, parsed: Int64(text), valid: "a number of UNIX seconds, or by_server"))
    }

    private static func flag(_ name: EntryField.Name, _ text: String) throws(QueueError) -> Bool {
        try value(of: name, parsed: text == "1" ? true : text == "0" ? false : nil, valid: "0 or 1")
    }

    private static func rules(_ text: String) throws(QueueError) -> PushRules {
        var rules: PushRules = []
        for word in text.split(separator: " ") {
            let rule = PushRules.names.first { $0.name == word }?.rule
            let valid = PushRules.names.map(\.name).joined(separator: ", ")
            rules.insert(try value(of: .waived, parsed: rule, valid: "names of rules, separated by spaces: \(valid)"))
        }
        return rules
    }

    private static func timeout(_ text: String) throws(QueueError) -> Duration {
        let seconds = Double(text).flatMap { EntryFields.areStorable($0) ? Duration.seconds($0) : nil }
        // What is less than Duration can express is nothing.
        return try value(
            of: .timeout, parsed: seconds.flatMap { $0 > .zero ? $0 : nil }, valid: "a number of seconds above 0")
    }

    private static func seconds(_ name: EntryField.Name, _ text: String) throws(QueueError) -> Double {
        try value(
            of: name, parsed: Double(text).flatMap { EntryFields.areStorable($0) ? $0 : nil },
            valid: "a number of seconds")
    }

    private static func value<Value>(
        of name: EntryField.Name, parsed value: Value?, valid: String
    ) throws(QueueError) -> Value {
        guard let value else { throw EntryFields.invalid("has an invalid \(name.rawValue): it must be \(valid)") }
        return value
    }
}
