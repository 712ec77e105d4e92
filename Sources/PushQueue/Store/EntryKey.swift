extension TakenEntry {
    /// The store's name for the entry while it is taken: a stream id, a row id.
    public struct Key: Hashable, Sendable, CustomStringConvertible {
        /// Numbers are compared and hashed as such: the text of a stream's id does not fit into a `String` without
        /// memory of its own, and each push looks its key up several times. Each text has one form.
        private enum Form: Hashable, Sendable {
            case number(UInt64)
            case pair(UInt64, UInt64)
            case text(String)
        }

        private let form: Form

        /// Makes a key.
        public init(_ text: String) { form = Self.form(text.utf8) ?? .text(text) }

        /// Makes a key of a number.
        package init(_ number: UInt64) { form = .number(number) }

        /// Makes a key of a text's bytes.
        package init(utf8 bytes: [UInt8]) {
            form = Self.form(bytes) ?? .text(String(decoding: bytes, as: UTF8.self))
        }

        /// The store's own text.
        public var description: String {
            switch form {
            case .number(let number): "\(number)"
            case .pair(let first, let second): "\(first)-\(second)"
            case .text(let text): text
            }
        }

        /// The number, if it is one.
        package var number: UInt64? { if case .number(let number) = form { number } else { nil } }

        /// The two numbers of a stream's id.
        package var pair: (UInt64, UInt64)? {
            if case .pair(let first, let second) = form { (first, second) } else { nil }
        }

        /// One number, or two with a hyphen between, each as its description would be; nil for any other text.
        private static func form(_ bytes: some Collection<UInt8>) -> Form? {
            var first: UInt64?
            var (value, digits) = (UInt64(0), 0)
            for byte in bytes {
                if byte == UInt8(ascii: "-"), first == nil, digits > 0 {
                    first = value
                    (value, digits) = (0, 0)
                    continue
                }
                let isLeadingZero = digits > 0 && value == 0
                let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
                guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte, !isLeadingZero, !isTooLarge else { return nil }
                let (sum, isOver) = tens.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
                guard !isOver else { return nil }
                (value, digits) = (sum, digits + 1)
            }
            guard digits > 0 else { return nil }
            return first.map { .pair($0, value) } ?? .number(value)
        }
    }
}
