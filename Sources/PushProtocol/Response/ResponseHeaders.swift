/// The header fields of an answer, in the order received: one block of bytes, decoded on demand.
public struct ResponseHeaders: Hashable, Sendable {
    // Per field: the lengths of name and value as 32-bit integers, then the bytes of both.
    private var block: [UInt8] = []
    private static let prefixLength = 8

    /// Creates an empty list.
    public init() {}

    /// Appends a field.
    public mutating func append(name: String, value: String) {
        name.withContiguousUTF8 { name in
            value.withContiguousUTF8 { value in
                append(name: UnsafeRawBufferPointer(name), value: UnsafeRawBufferPointer(value))
            }
        }
    }

    /// Appends a field from raw bytes.
    package mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        guard let nameLength = UInt32(exactly: name.count), let valueLength = UInt32(exactly: value.count) else {
            return
        }
        withUnsafeBytes(of: (nameLength, valueLength)) { block.append(contentsOf: $0) }
        block.append(contentsOf: name)
        block.append(contentsOf: value)
    }

    /// Uses fields as a session collected them. For each field: the lengths of name and value as 32-bit integers in
    /// native byte order, then the bytes of both.
    package init(block: [UInt8]) { self.block = block }

    /// Whether there are no fields.
    public var isEmpty: Bool { block.isEmpty }

    /// All fields, with names in lower case as in HTTP/2.
    public var fields: [(name: String, value: String)] {
        var result: [(name: String, value: String)] = []
        _ = firstMatch { name, value in
            result.append((String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
            return false
        }
        return result
    }

    /// The value of the first field with this name (lower case).
    public subscript(name: String) -> String? {
        name.withContiguousUTF8 { wanted in
            withFirstValue(of: UnsafeRawBufferPointer(wanted)) { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Passes the value of the first field with this name to `body`, as bytes valid only during the call; nil if there
    /// is none.
    package func withFirstValue<Result>(
        of name: StaticString, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        withFirstValue(of: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount), body)
    }

    private func withFirstValue<Result>(
        of wanted: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        var result: Result?
        _ = firstMatch { name, value in
            guard name.elementsEqual(wanted) else { return false }
            result = body(value)
            return true
        }
        return result
    }

    /// Calls `matches` for each field until it returns true.
    private func firstMatch(_ matches: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool) -> Bool {
        block.withUnsafeBytes { bytes in
            var position = 0
            while position < bytes.count {
                let nameLength = Int(bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
                let valueLength = Int(bytes.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self))
                let name = position + Self.prefixLength
                let value = name + nameLength
                position = value + valueLength
                if matches(.init(rebasing: bytes[name..<value]), .init(rebasing: bytes[value..<position])) {
                    return true
                }
            }
            return false
        }
    }
}

extension ResponseHeaders: CustomStringConvertible, CustomReflectable {
    /// One field per line.
    public var description: String {
        fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }

    /// The fields by name.
    public var customMirror: Mirror {
        Mirror(self, children: fields.map { (label: $0.name, value: $0.value) }, displayStyle: .dictionary)
    }
}

extension PushResponse {
    /// How long the server asks to wait before the request is sent again: its `Retry-After` (RFC 9110, section 10.2.3),
    /// a number of seconds or a date. Nil if there is none or it is neither; zero for a past date.
    ///
    /// - Parameter wallClock: The time of the answer, in milliseconds since 1970 UTC. Called only for a date.
    package func retryAfter(_ wallClock: () -> Int64) -> Duration? {
        guard let text = headers["retry-after"], !text.isEmpty else { return nil }
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // More than 32 bits of seconds is too long for any caller.
            return .seconds(UInt32(text) ?? .max)
        }
        guard let date = HTTPDate.seconds(text) else { return nil }
        return .milliseconds(max(0, date * 1_000 - wallClock()))
    }
}

/// The date in a header field (RFC 9110, section 5.6.7).
package enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// UNIX seconds of `Sun, 06 Nov 1994 08:49:37 GMT`; nil for any other form. Current servers send this one.
    package static func seconds(_ text: String) -> Int64? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard text.utf8.count == 29, words.count == 6, words[0].hasSuffix(","), words[5] == "GMT",
            let month = months.firstIndex(of: String(words[2])),
            let day = number(words[1], in: 1...31), let year = number(words[3], in: 1970...9999)
        else { return nil }
        let clock = words[4].split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3, let hour = number(clock[0], in: 0...23), let minute = number(clock[1], in: 0...59),
            let second = number(clock[2], in: 0...60)
        else { return nil }
        return ((days(year: year, month: Int64(month) + 1, day: day) * 24 + hour) * 60 + minute) * 60 + second
    }

    /// Days from 1970-01-01 to this day of the Gregorian calendar. Counts years from March, so that the leap day is the
    /// last day.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }

    private static func number(_ text: Substring, in range: ClosedRange<Int64>) -> Int64? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text), range.contains(number)
        else { return nil }
        return number
    }
}
