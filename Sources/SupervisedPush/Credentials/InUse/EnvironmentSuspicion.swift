/// Whether so many device tokens are bad that the environment is probably the wrong one: at least 50 answers have
/// arrived, and more than half of the last 100 are BadDeviceToken.
struct EnvironmentSuspicion {
    static let span = 100
    static let least = 50

    /// One bit for each of the latest answers, set for BadDeviceToken.
    private var bits: (UInt64, UInt64) = (0, 0)
    private var next = 0
    private var answers = 0
    private var bad = 0

    var isSuspected: Bool { answers >= Self.least && bad * 2 > answers }

    /// Whether more answers of another kind would change anything.
    var countsOthers: Bool { bad > 0 || answers < Self.span }

    /// This many answers of another kind arrived.
    mutating func countOthers(_ number: Int) {
        // The usual case: if no bit is set, the position does not matter.
        guard bad > 0 else { return answers = min(Self.span, answers + number) }
        for _ in 0..<min(number, Self.span) { count(isBad: false) }
    }

    mutating func countBad() { count(isBad: true) }

    private mutating func count(isBad: Bool) {
        if replaceNext(by: isBad) { bad -= 1 }
        if isBad { bad += 1 }
        answers = min(Self.span, answers + 1)
        next = (next + 1) % Self.span
    }

    /// Returns the replaced bit.
    private mutating func replaceNext(by isBad: Bool) -> Bool {
        let bit: UInt64 = 1 << UInt64(next % 64)
        func replace(_ word: inout UInt64) -> Bool {
            let old = word & bit != 0
            if isBad { word |= bit } else { word &= ~bit }
            return old
        }
        return next < 64 ? replace(&bits.0) : replace(&bits.1)
    }
}
