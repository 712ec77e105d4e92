import ProcessRuntime
import PushSimulator
import SupervisedPush

extension SimulatedStage {
    /// Runs a test with this stage as the current one.
    ///
    /// - Parameters:
    ///   - limit: How long it may take, in real time; nil for as long as it likes.
    ///   - grace: How long it may take to end once it is cancelled.
    func run<Result>(
        within limit: Duration?, grace: Duration, isolation: isolated (any Actor)?, _ body: () async throws -> Result
    ) async throws -> Result {
        guard let limit else {
            return try await Self.$current.withValue(self, operation: body, isolation: isolation)
        }
        // The watchdog uses it only until `end()` returns, and until then this task runs.
        nonisolated(unsafe) let task = withUnsafeCurrentTask { $0 }
        let watchdog = Watchdog(
            limit, grace: grace, report: { [self] in report(after: limit) }, cancel: { task?.cancel() },
            abandon: { [self] in Task { await end() } })
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await Self.$current.withValue(self, operation: body, isolation: isolation))
        } catch {
            result = .failure(error)
        }
        if let report = watchdog.end() { throw TimeLimitExceeded(description: report) }
        return try result.get()
    }

    /// How things stand with a test that does not end.
    private func report(after limit: Duration) -> String {
        let seen = apple.ledger.snapshot
        var lines = ["The test did not end within \(limit) and is cancelled. This is how things stand:"]
        lines += "\(runtime.supervisionTree)".split(separator: "\n").map { "  \($0)" }
        let words = ["\(Self.count(seen.accepted, one: "push", more: "pushes")) accepted, \(seen.refused) refused"]
        lines.append(
            "  simulator, \(Self.count(apple.connectionCount, one: "connection", more: "connections")) open, "
                + (words + apple.standingOrders).joined(separator: "; it "))
        if let time { lines += Self.lines(on: time) }
        return lines.joined(separator: "\n")
    }

    private static func lines(on time: ManualTime) -> [String] {
        let (now, timers) = (time.now, time.armedTimers)
        let shown = timers.prefix(10).map { "  - \($0.queue) in \(now.duration(to: $0.instant))" }
        let more = timers.count > shown.count ? ["  - and \(timers.count - shown.count) more"] : []
        let advice =
            timers.isEmpty
            ? "no timer is armed, so no time that passes would change this"
            : "it moves only when the test says so: time.advance(by:) reaches these timers"
        return ["  manual clock, \(count(timers.count, one: "timer", more: "timers")) armed; \(advice)"] + shown + more
    }

    private static func count(_ number: Int, one: String, more: String) -> String {
        "\(number) \(number == 1 ? one : more)"
    }
}
