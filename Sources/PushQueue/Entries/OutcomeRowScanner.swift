import FoundationEssentials
import PushProtocol
import SupervisedPush

/// Reads rows as this library writes them: these members in this order, without escapes and spaces. It gives up at
/// anything else, which a general reader then reads.
struct OutcomeRowScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    /// The outcome; nil if the row is not of this form.
    static func outcome(_ row: [UInt8]) -> QueueOutcome? {
        row.withUnsafeBufferPointer { bytes in
            var scanner = OutcomeRowScanner(bytes: bytes)
            return scanner.outcome()
        }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    private mutating func outcome() -> QueueOutcome? {
        guard skip("{\"id\":"), let id = quoted().flatMap({ EntryID(digits: $0) }),
            skip(",\"index\":"), let index = number(),
            skip(",\"token\":"), let token = text().flatMap({ try? DeviceToken($0) }),
            skip(",\"outcome\":"), let kind = text().flatMap(PushOutcome.Kind.init)
        else { return nil }
        var status: Int?
        if skip(",\"status\":") {
            guard let number = number() else { return nil }
            status = number
        }
        var reason: String?
        if skip(",\"reason\":") {
            guard let text = text() else { return nil }
            reason = text
        }
        var apnsID: APNSID?
        if skip(",\"apns_id\":") {
            guard let id = quoted().flatMap({ APNSID(utf8: UnsafeRawBufferPointer($0)) }) else { return nil }
            apnsID = id
        }
        var timestamp: Date?
        if skip(",\"timestamp\":") {
            guard let seconds = number() else { return nil }
            timestamp = Date(timeIntervalSince1970: TimeInterval(seconds))
        }
        guard skip(",\"attempts\":"), let attempts = number(),
            skip(",\"certainty\":"), let certainty = text().flatMap(Certainty.init)
        else { return nil }
        var invalidatedAt: Date?
        if skip(",\"invalidated_at\":") {
            guard let seconds = number() else { return nil }
            invalidatedAt = Date(timeIntervalSince1970: TimeInterval(seconds))
        }
        var endedAt: Date?
        if skip(",\"ended_at\":") {
            guard let milliseconds = milliseconds() else { return nil }
            endedAt = Date(unixMilliseconds: milliseconds)
        }
        var campaign: CampaignName?
        if skip(",\"campaign\":") {
            guard let name = text().flatMap({ try? CampaignName($0) }) else { return nil }
            campaign = name
        }
        guard skip("}"), position == bytes.count else { return nil }
        return QueueOutcome(
            entry: id, index: index, token: token, campaign: campaign,
            PushOutcome(
                kind, certainty: certainty, status: status, reason: reason, apnsID: apnsID, timestamp: timestamp,
                invalidatedAt: invalidatedAt, attempts: attempts, endedAt: endedAt))
    }

    /// Whether the text comes next. It is skipped then.
    private mutating func skip(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - position >= count else { return false }
        let next = UnsafeBufferPointer(rebasing: bytes[position..<position + count])
        guard next.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: count)) else { return false }
        position += count
        return true
    }

    /// The bytes of a string without escapes.
    private mutating func quoted() -> UnsafeBufferPointer<UInt8>? {
        guard skip("\"") else { return nil }
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            // A control character is not valid in JSON.
            guard bytes[position] >= 0x20, bytes[position] != 0x5c else { return nil }
            position += 1
        }
        guard position < bytes.count else { return nil }
        position += 1
        return UnsafeBufferPointer(rebasing: bytes[start..<position - 1])
    }

    private mutating func text() -> String? { quoted().flatMap { String(validating: $0, as: UTF8.self) } }

    /// Seconds with three decimals.
    private mutating func milliseconds() -> Int64? {
        guard let seconds = number(), skip(".") else { return nil }
        let start = position
        guard let rest = digits(), position - start == 3, seconds < 1_000_000_000_000 else { return nil }
        return Int64(seconds) * 1_000 + Int64(rest)
    }

    /// A number of one to 18 digits, which cannot overflow.
    private mutating func number() -> Int? {
        let start = position
        guard let number = digits() else { return nil }
        // JSON has no leading zeros.
        guard position - start == 1 || bytes[start] != UInt8(ascii: "0") else { return nil }
        return number
    }

    private mutating func digits() -> Int? {
        let start = position
        var number = 0
        while position < bytes.count, case let digit = bytes[position] &- UInt8(ascii: "0"), digit < 10 {
            guard position - start < 18 else { return nil }
            number = number * 10 + Int(digit)
            position += 1
        }
        return position > start ? number : nil
    }
}
