import PushTerminal

extension UTC {
    /// A time that a provider gave, which may be any number.
    static func text(seconds: Double) -> String { text(milliseconds: clamped(seconds: seconds) * 1_000) }

    /// Whole seconds since 1970, to the end of the year 9999.
    static func clamped(seconds: Double) -> Int64 {
        seconds.isFinite ? Int64(min(max(seconds, 0), 253_402_300_799)) : 0
    }
}
