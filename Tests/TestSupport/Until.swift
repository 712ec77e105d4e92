import Testing

/// Waits until something is so, for what tells nobody when it changes. Where there is an event, wait for that instead: `Recorder`,
/// `OutcomeBook`, `Ledger.wait`, `ManualTime.waitUntilArmed`.
///
/// It gives others a few turns, and then asks again after pauses: a loop of turns alone keeps a core that other tests need. A pause is
/// 1 ms within the first tenth of a second, then a hundredth of the time waited so far, 10 ms at most.
///
/// If it does not come about, that is an issue of the line that waits. A task that is cancelled waits no longer: its test is over.
package func until(
    within limit: Duration = .seconds(120), at place: SourceLocation = #_sourceLocation, _ isSo: () async throws -> Bool
) async rethrows {
    guard try await !reaches(within: limit, isSo), !Task.isCancelled else { return }
    Issue.record("What is waited for here did not come about within \(limit).", sourceLocation: place)
}

/// Waits as `until` does, for tests that say themselves what was not reached.
///
/// - Returns: Whether it came about.
package func reaches(within limit: Duration = .seconds(120), _ isSo: () async throws -> Bool) async rethrows -> Bool {
    for _ in 0..<50 {
        if try await isSo() { return true }
        await Task.yield()
    }
    let start = ContinuousClock.now
    var waited = Duration.zero
    while try await !isSo() {
        guard waited < limit, !Task.isCancelled else { return false }
        // An error says that the task was cancelled.
        try? await Task.sleep(for: min(max(waited / 100, .milliseconds(1)), .milliseconds(10)))
        waited = ContinuousClock.now - start
    }
    return true
}

/// Gives the other tasks this many turns. For tests in which calls meet at moments of chance, and which hold however far the others come: what
/// a test relies on, it waits for.
package func giveTurns(_ count: Int) async {
    for _ in 0..<count { await Task.yield() }
}
