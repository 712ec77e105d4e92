import ProcessRuntime

/// For tests only.
extension PushRuntime {
    /// The bytes that may wait in all connections together, and how many of them no connection has reserved.
    package var waitingBudget: (free: Int, limit: Int) { (budget.free, budget.limit) }

    /// Kills this process, as a fault would.
    package func kill(_ pid: ProcessID) { system.exit(pid, .killed) }

    /// Asks this process to end.
    package func exit(_ pid: ProcessID, _ reason: ExitReason) { system.exit(pid, reason) }
}
