import FoundationEssentials
import PushProtocol
import SupervisedPush

/// Writes the row of an outcome into memory that is large enough for it. A general writer checks for room, commas and
/// escapes at each member, which here are known.
struct OutcomeRowWriter {
    private var end: UnsafeMutableRawPointer

    /// Appends the row; false if the reason would have to be escaped.
    static func append(_ outcome: QueueOutcome, to bytes: inout [UInt8]) -> Bool {
        var reason = outcome.outcome.reason ?? ""
        let isPlain = reason.withUTF8 { $0.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x5c } }
        guard isPlain else { return false }
        // Names, ids, words, numbers and the name of a campaign have at most 544 bytes together.
        let size = 544 + outcome.token.hex.utf8.count + reason.utf8.count
        withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { memory in
            guard let start = memory.baseAddress else { return }
            var writer = OutcomeRowWriter(end: start)
            writer.write(outcome)
            bytes.append(contentsOf: UnsafeRawBufferPointer(start: start, count: writer.end - start))
        }
        return true
    }

    private mutating func write(_ row: QueueOutcome) {
        put("{\"id\":\"")
        put(row.entry.high)
        put(row.entry.low)
        put("\",\"index\":")
        put(row.index)
        put(",\"token\":\"")
        put(row.token.hex)
        let outcome = row.outcome
        put("\",\"outcome\":\"")
        put(outcome.kind.rawValue)
        put("\"")
        if let status = outcome.status {
            put(",\"status\":")
            put(status)
        }
        if let reason = outcome.reason {
            put(",\"reason\":\"")
            put(reason)
            put("\"")
        }
        if let id = outcome.apnsID {
            put(",\"apns_id\":\"")
            id.write(into: UnsafeMutableRawBufferPointer(start: end, count: APNSID.textLength))
            end += APNSID.textLength
            put("\"")
        }
        if let timestamp = outcome.timestamp {
            put(",\"timestamp\":")
            put(Int(timestamp.unixSeconds))
        }
        put(",\"attempts\":")
        put(outcome.attempts)
        put(",\"certainty\":\"")
        put(outcome.certainty.rawValue)
        put("\"")
        if let invalidatedAt = outcome.invalidatedAt {
            put(",\"invalidated_at\":")
            put(Int(invalidatedAt.unixSeconds))
        }
        if let endedAt = outcome.endedAt { put(endedAt) }
        if let campaign = row.campaign {
            put(",\"campaign\":\"")
            put(campaign.description)
            put("\"")
        }
        put("}")
    }

    /// Seconds with three decimals.
    private mutating func put(_ endedAt: Date) {
        let milliseconds = max(0, endedAt.unixMilliseconds)
        put(",\"ended_at\":")
        put(Int(milliseconds / 1_000))
        // A digit more keeps the zeros in front, and a period takes its place.
        let place = end
        put(Int(1_000 + milliseconds % 1_000))
        place.storeBytes(of: UInt8(ascii: "."), as: UInt8.self)
    }

    // Inlined, so that the copy of a text of known length is a few moves.
    @inline(__always)
    private mutating func put(_ text: StaticString) {
        end.copyMemory(from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
        end += text.utf8CodeUnitCount
    }

    private mutating func put(_ text: String) {
        var text = text
        text.withUTF8 { put(UnsafeRawBufferPointer($0)) }
    }

    /// Sixteen digits.
    private mutating func put(_ half: UInt64) {
        let (first, last) = (UInt32(truncatingIfNeeded: half >> 32), UInt32(truncatingIfNeeded: half))
        end.storeBytes(of: Hex.digits(first), as: UInt64.self)
        end.storeBytes(of: Hex.digits(last), toByteOffset: 8, as: UInt64.self)
        end += 16
    }

    /// At most 20 bytes.
    private mutating func put(_ number: Int) { Decimal.withDigits(of: number) { put(UnsafeRawBufferPointer($0)) } }

    private mutating func put(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        end.copyMemory(from: start, byteCount: bytes.count)
        end += bytes.count
    }
}
