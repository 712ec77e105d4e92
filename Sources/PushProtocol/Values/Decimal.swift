/// Decimal digits without an intermediate text.
@usableFromInline
enum Decimal {
    /// The longest an `Int64` can be: a sign and 19 digits.
    @usableFromInline static let maxLength = 20

    /// Writes a number at the end of `buffer`, which has at least `maxLength` bytes, and gives the part written.
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
