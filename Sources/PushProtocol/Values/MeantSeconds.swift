/// The seconds since 1970 that a number means which is in a finer unit: `1795740300000` means `1795740300`.
package struct MeantSeconds: Hashable, Sendable {
    /// As seconds, this is after the year 5000; as milliseconds, it is in 1973.
    private static let leastMilliseconds = 1e11

    /// The seconds.
    package let seconds: Int64
    /// The unit of the number, such as `milliseconds`.
    package let unit: String

    /// - Parameter number: A time as a number. Nil if it can be seconds.
    package init?(of number: Double) {
        guard number >= Self.leastMilliseconds else { return nil }
        let (unit, divisor) =
            switch number {
            case ..<1e14: ("milliseconds", 1e3)
            case ..<1e17: ("microseconds", 1e6)
            default: ("nanoseconds", 1e9)
            }
        seconds = Int64(truncating: number / divisor) ?? .max
        self.unit = unit
    }

    /// - Parameter number: A time as a number. Nil if it can be seconds.
    package init?(of number: Int64) { self.init(of: Double(number)) }
}
