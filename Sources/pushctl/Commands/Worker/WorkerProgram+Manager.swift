import PushTerminal

/// What a worker tells a service manager.
extension WorkerProgram {
    func tellManager() async {
        await manager?.run {
            self.standing
        } turn: {
            for work in self.works { await work.turn() }
        }
    }

    /// Ready as `/readyz` is.
    private var standing: ServiceState.Standing {
        guard let tenants = tenantSet?.all else { return .init(isReady: false, text: "opening the queues") }
        let health = health
        let count = Figures.counted(tenants.count, one: "queue", many: "queues")
        guard !health.lines.isEmpty else { return .init(isReady: health.isReady, text: "working on \(count)") }
        let ready = Figures.grouped(tenants.count - health.lines.count)
        return .init(
            isReady: health.isReady, text: "\(ready) of \(count) ready; \(health.lines.joined(separator: "; "))")
    }
}
