import PushTerminal
import SupervisedPush

extension JSONText {
    /// Whether the bytes are a number, true, false or null.
    static func isScalar(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, first == ASCII.minus || first.isAlphanumeric else { return false }
        return (try? EncodedJSON(json: bytes)) != nil
    }
}

extension UInt8 {
    fileprivate var isAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        default: false
        }
    }
}
