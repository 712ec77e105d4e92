import PushLocking
import PushTerminal
import SupervisedPush

/// The table of a worker on a terminal.
extension WorkerProgram {
    /// Between two drawings.
    private static let period = Duration.milliseconds(250)
    /// Between two questions to a queue how much waits.
    private static let countingPeriod = Duration.seconds(1)

    /// Draws the table until the task is cancelled.
    func draw() async {
        guard screen.isLive else { return }
        screen.leaveRoomWhileStopped()
        let counts = Locked<[String: Int]>([:])
        // A queue that is slow to answer holds up no drawing.
        let counting = Task {
            while !Task.isCancelled {
                let waiting = await waiting
                counts.withLock { $0 = waiting }
                try? await Task.sleep(for: Self.countingPeriod)
            }
        }
        defer { counting.cancel() }
        var histories: [String: RateHistory] = [:]
        while !Task.isCancelled {
            let now = seconds
            let rows = tenants.map { tenant in
                var figures = tenant.figures
                figures.waiting = counts.withLock { $0[tenant.name] }
                histories[tenant.name, default: RateHistory()].note(settled: figures.settled, share: nil, at: now)
                let rate = histories[tenant.name]?.rate() ?? 0
                return WorkerArea.Row(queue: tenant.name, state: tenant.state, figures: figures, rate: rate)
            }
            let area = WorkerArea(rows: rows, seconds: now, isStopping: isStopping)
            screen.show { area.lines($0, height: $1) }
            try? await Task.sleep(for: Self.period)
        }
    }
}
