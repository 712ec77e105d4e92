/// A small, fast generator of uniform numbers, suitable for ids and latencies, but not for security. The same seed
/// gives the same numbers.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Appends a UUID in text form, 8-4-4-4-12, in upper case as made by APNs, or in lower case.
    mutating func appendUUID(to bytes: inout [UInt8], isUpperCase: Bool) {
        for word in 0..<2 {
            var rest = next()
            for position in 0..<16 {
                let digit = word * 16 + position
                if digit == 8 || digit == 12 || digit == 16 || digit == 20 { bytes.append(0x2D) }
                let value = UInt8(truncatingIfNeeded: rest & 15)
                bytes.append(isUpperCase ? HexDigits.upperDigit(value) : HexDigits.lowerDigit(value))
                rest >>= 4
            }
        }
    }
}
