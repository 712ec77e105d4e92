import ProcessRuntime

extension SeededGenerator {
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
