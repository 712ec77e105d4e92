import DequeModule

/// The living processes, their monitors, and the reasons of the last ended ones. Accessed only under the system's lock.
struct ProcessTable {
    typealias OnDown = @Sendable (ProcessID, ExitReason) -> Void

    /// How many reasons are remembered. The oldest are forgotten first.
    static let rememberedReasons = 1_024

    private(set) var cells: [ProcessID: any AnyProcessCell] = [:]
    private var monitors: [ProcessID: [UInt64: OnDown]] = [:]
    private var reasons: [ProcessID: ExitReason] = [:]
    private var reasonsByAge = Deque<ProcessID>()
    private var lastMonitor: UInt64 = 0

    mutating func insert(_ cell: any AnyProcessCell, as pid: ProcessID) {
        cells[pid] = cell
    }

    /// Returns the reason if the process has ended; then no monitor is registered.
    mutating func monitor(_ pid: ProcessID, _ onDown: @escaping OnDown) -> (MonitorReference, ExitReason?) {
        lastMonitor += 1
        let reference = MonitorReference(pid: pid, number: lastMonitor)
        guard cells[pid] != nil else { return (reference, reasons[pid] ?? .failure(NoProcess(pid))) }
        monitors[pid, default: [:]][lastMonitor] = onDown
        return (reference, nil)
    }

    /// Returns the closure that will not be called, so that it can be released outside the lock.
    mutating func demonitor(_ reference: MonitorReference) -> OnDown? {
        guard let onDown = monitors[reference.pid]?.removeValue(forKey: reference.number) else { return nil }
        if monitors[reference.pid]?.isEmpty == true { monitors[reference.pid] = nil }
        return onDown
    }

    /// Returns the monitors to call, in the order of their registration, and what must be released outside the lock.
    mutating func end(_ pid: ProcessID, reason: ExitReason) -> (watchers: [OnDown], forgotten: [Any]) {
        var forgotten: [Any] = []
        if let cell = cells.removeValue(forKey: pid) { forgotten.append(cell) }
        reasons[pid] = reason
        reasonsByAge.append(pid)
        while reasonsByAge.count > Self.rememberedReasons, let oldest = reasonsByAge.popFirst() {
            if let reason = reasons.removeValue(forKey: oldest) { forgotten.append(reason) }
        }
        let watchers = (monitors.removeValue(forKey: pid) ?? [:]).sorted { $0.key < $1.key }.map(\.value)
        return (watchers, forgotten)
    }
}
