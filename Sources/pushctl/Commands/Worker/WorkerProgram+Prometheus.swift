import PushPrometheus
import PushTerminal

/// What a worker shows of itself to those who watch it.
extension WorkerProgram {
    var reading: PrometheusOutlet.Reading {
        .init(samples: { [self] in await samples }, health: { [self] in health })
    }

    private var samples: [PrometheusSample] {
        get async {
            let tenants = tenants
            let ready = tenants.map { tenant in
                PrometheusSample(
                    "supervised_push_ready", labels: [(name: "connection", value: tenant.name)], tenant.isReady ? 1 : 0)
            }
            let ofWork = await Self.asking(tenants) { await $0.work?.samples ?? [] }
            return ready + tenants.flatMap { ofWork[$0.name] ?? [] }
        }
    }

    /// How many entries wait in each queue that answers, by its name.
    var waiting: [String: Int] {
        get async { await Self.asking(tenants) { await $0.waiting() }.compactMapValues(\.self) }
    }

    /// The answers of all, by their names. All are asked at once, so several that do not answer cost no more than one.
    private static func asking<Answer: Sendable>(
        _ tenants: [QueueTenant], _ ask: @escaping @Sendable (QueueTenant) async -> Answer
    ) async -> [String: Answer] {
        await withTaskGroup(of: (String, Answer).self) { group in
            for tenant in tenants { group.addTask { (tenant.name, await ask(tenant)) } }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    /// Ready while at least one queue is worked on, or paused. The lines name each queue that is not well.
    var health: PrometheusOutlet.Health {
        let tenants = tenants
        return PrometheusOutlet.Health(
            isReady: tenants.contains(where: \.isReady),
            lines: tenants.compactMap { tenant in tenant.trouble.map { "\(tenant.name.onOneLine): \($0)" } })
    }
}
