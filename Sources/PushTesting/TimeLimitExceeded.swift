import FoundationEssentials

/// What a test waited for did not come within its time limit, which is measured in real time.
public struct TimeLimitExceeded: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// What was waited for and how long, how things stood at the end, and what to do.
    public let description: String

    /// Same as ``description``.
    public var errorDescription: String? { description }
}

/// Looks whether something has come about, again and again, with pauses of up to 50 ms of real time. For what tells nobody when it
/// changes.
///
/// - Parameter timeout: How long to look. It takes longer than that until it has looked 50 times: on a machine that is busy with other
///   tests, what is waited for may have had no turn.
/// - Returns: False if the time was over first.
/// - Throws: What `isSo` throws; `CancellationError` if the task was cancelled.
func look(
    within timeout: Duration, isolation: isolated (any Actor)? = #isolation, _ isSo: () throws -> Bool
) async throws -> Bool {
    let end = ContinuousClock.now.advanced(by: timeout)
    let shortest = Duration.microseconds(100)
    let longest = max(shortest, min(timeout / 50, .milliseconds(50)))
    var pause = shortest
    var looks = 1
    while try !isSo() {
        guard ContinuousClock.now < end || looks < 50 else { return false }
        try await Task.sleep(for: pause)
        pause = min(pause * 2, longest)
        looks += 1
    }
    return true
}
