import PushPrometheus
import PushTerminal

/// What a worker shows of itself to those who watch it.
extension WorkerProgram {
    var reading: PrometheusOutlet.Reading {
        .init(samples: { [self] in await samples }, health: { [self] in health })
    }

    private var samples: [PrometheusSample] {
        get async {
            var samples: [PrometheusSample] = []
            for tenant in tenants {
                let labels = [(name: "connection", value: tenant.name)]
                samples.append(PrometheusSample("supervised_push_ready", labels: labels, tenant.isReady ? 1 : 0))
                if let work = tenant.work { samples += await work.samples }
            }
            return samples
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
