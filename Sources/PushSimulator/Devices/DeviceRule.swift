/// A rule of a ``DeviceRegistry``: which device tokens it covers, and what their state is.
public struct DeviceRule: Sendable {
    /// Which device tokens a rule covers. Hex digits are compared without case.
    @nonexhaustive public enum Pattern: Sendable, Hashable {
        /// Tokens that begin with these hex digits.
        case prefix(String)
        /// Tokens that end with these hex digits. One digit covers a sixteenth of random tokens, two a 256th.
        case suffix(String)
        /// Tokens that consist of this hex digit only.
        case only(Character)
        /// Tokens of this many bytes (pairs of hex digits).
        case byteCount(ClosedRange<Int>)
        /// Every token.
        case any
    }

    /// The tokens that the rule covers.
    public var pattern: Pattern
    /// The state of these tokens.
    public var state: DeviceState

    /// Creates a rule that gives `state` to the tokens that `pattern` covers.
    public init(_ pattern: Pattern, _ state: DeviceState) {
        self.pattern = pattern
        self.state = state
    }
}

extension DeviceRule {
    /// The rule with its digits as lower-case bytes, compiled once.
    struct Compiled {
        enum Test {
            case prefix([UInt8]), suffix([UInt8]), only(UInt8), byteCount(ClosedRange<Int>), any
        }

        let test: Test
        let state: DeviceState

        init(_ rule: DeviceRule) {
            state = rule.state
            test =
                switch rule.pattern {
                case .prefix(let digits): .prefix(Array(digits.lowercased().utf8))
                case .suffix(let digits): .suffix(Array(digits.lowercased().utf8))
                case .only(let digit): .only(digit.lowercased().utf8.first ?? 0)
                case .byteCount(let range): .byteCount(range)
                case .any: .any
                }
        }

        func covers(_ token: Octets) -> Bool {
            switch test {
            case .prefix(let digits): token.count >= digits.count && Self.matches(token.prefix(digits.count), digits)
            case .suffix(let digits): token.count >= digits.count && Self.matches(token.suffix(digits.count), digits)
            case .only(let digit): token.allSatisfy { $0 | 0x20 == digit }
            case .byteCount(let range): range.contains(token.count / 2)
            case .any: true
            }
        }

        // Setting bit 5 changes a letter to lower case and does not change a digit.
        private static func matches(_ digits: Octets, _ lower: [UInt8]) -> Bool {
            digits.elementsEqual(lower) { $0 | 0x20 == $1 }
        }
    }
}
