/// Writes decimal digits without an intermediate string.
@usableFromInline
enum Decimal {
    /// The length of the longest `Int64`: a sign and 19 digits.
    @usableFromInline static let maxLength = 20

    /// Writes a number at the end of `buffer`, which has at least `maxLength` bytes, and returns the written part.
    @usableFromInline
    static func write(_ number: Int64, into buffer: UnsafeMutableBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        var position = buffer.count
        var rest = number.magnitude
        repeat {
            position -= 1
            buffer[position] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        if number < 0 {
            position -= 1
            buffer[position] = UInt8(ascii: "-")
        }
        return UnsafeBufferPointer(rebasing: buffer[position...])
    }
}
