import ProcessRuntime

/// What tests need, and nobody else.
extension PushRuntime {
    /// The bytes that may wait in all connections together, and those of them that no connection has reserved.
    package var waitingBudget: (free: Int, limit: Int) { (budget.free, budget.limit) }

    /// Kills the process of this pid, as a fault would.
    package func kill(_ pid: ProcessID) { system.exit(pid, .killed) }

    /// Asks the process of this pid to end.
    package func exit(_ pid: ProcessID, _ reason: ExitReason) { system.exit(pid, reason) }
}
