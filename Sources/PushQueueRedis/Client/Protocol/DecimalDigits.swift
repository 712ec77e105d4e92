import PushProtocol

extension [UInt8] {
    /// Appends decimal digits. A string of them would cost more than the word they belong to.
    mutating func append(decimal number: some FixedWidthInteger) {
        Decimal.withDigits(of: number) { append(contentsOf: $0) }
    }
}
