extension [UInt8] {
    /// Appends decimal digits. A string of them would cost more than the word they belong to.
    mutating func append(decimal number: UInt64) {
        if number >= 10 { append(decimal: number / 10) }
        append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }

    /// Appends the decimal digits of a number that is not negative.
    mutating func append(decimal count: Int) { append(decimal: UInt64(count.magnitude)) }
}
