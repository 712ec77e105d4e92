/// What the answers to one credential say about the environment: whether it is the one that the device tokens are for.
///
/// In the wrong one, APNs answers BadDeviceToken for every token. So it is suspected until it is **proven** for a topic:
/// an accepted push (200), or a token that was valid before (410), shows that APNs knows the topic's devices there. Each
/// topic needs its own proof, because one app's tokens may come from development builds and another's from the store.
struct EnvironmentEvidence {
    /// How many topics are remembered as proven; beyond that, one of them must be proven again.
    static let mostTopics = 1_000

    private(set) var share = EnvironmentSuspicion()
    private var proven: Set<Topic?> = []

    /// An answer to a push of this topic proved the environment.
    mutating func prove(_ topic: Topic?) {
        if proven.count >= Self.mostTopics, !proven.contains(topic) { proven.removeFirst() }
        proven.insert(topic)
    }

    /// Counts answers in their order: first `others`, then perhaps one BadDeviceToken.
    mutating func count(others: Int, isBad: Bool) {
        share.countOthers(others)
        if isBad { share.countBad() }
    }

    /// Whether BadDeviceToken for a token of this topic probably comes from the wrong environment.
    func suspects(_ topic: Topic?) -> Bool { !proven.contains(topic) || share.isSuspected }
}

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
