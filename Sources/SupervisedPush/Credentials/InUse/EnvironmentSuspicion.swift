/// Whether so many device tokens are refused as bad that the connection probably talks to the wrong environment: more
/// than half of the last 100 answers are BadDeviceToken, and there were 50 at least.
struct EnvironmentSuspicion {
    static let span = 100
    static let least = 50

    /// A bit for each of the latest answers; set where it was BadDeviceToken.
    private var bits: (UInt64, UInt64) = (0, 0)
    private var next = 0
    private var answers = 0
    private var bad = 0

    var isSuspected: Bool { answers >= Self.least && bad * 2 > answers }

    /// So many answers came of another kind.
    mutating func noteOthers(_ count: Int) {
        // Where no bit is set it does not matter which one is the next: the usual case.
        guard bad > 0 else { return answers = min(Self.span, answers + count) }
        for _ in 0..<min(count, Self.span) { note(isBad: false) }
    }

    mutating func noteBad() { note(isBad: true) }

    private mutating func note(isBad: Bool) {
        if replaceNext(by: isBad) { bad -= 1 }
        if isBad { bad += 1 }
        answers = min(Self.span, answers + 1)
        next = (next + 1) % Self.span
    }

    /// Returns what stood there.
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
