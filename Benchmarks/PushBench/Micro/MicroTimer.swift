import Dispatch

/// Nanoseconds per operation: the least of some bursts, which is the least disturbed one.
struct MicroTimer {
    private(set) var least = Double.infinity

    /// Times one burst of `count` operations.
    mutating func time<Result>(_ count: Int, _ burst: () throws -> Result) rethrows -> Result {
        let start = DispatchTime.now().uptimeNanoseconds
        let result = try burst()
        note(Double(DispatchTime.now().uptimeNanoseconds - start), count)
        return result
    }

    /// Takes note of a burst that was timed elsewhere.
    mutating func note(_ nanoseconds: Double, _ count: Int) { least = min(least, nanoseconds / Double(max(1, count))) }
}
