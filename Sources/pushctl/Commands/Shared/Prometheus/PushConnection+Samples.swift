import FoundationEssentials
import PushPrometheus
import SupervisedPush

extension PushConnection {
    /// What is read of a connection or a pool when the metrics are shown.
    func samples(name: String) -> [PrometheusSample] {
        let label = (name: "connection", value: name)
        let status = status
        var phases: [ConnectionPhase: Int] = [.up: 0, .dialing: 0, .down: 0, .suspended: 0]
        // A single connection is its own member.
        let members = members.map(\.status)
        for member in members.isEmpty ? [status] : members { phases[member.phase, default: 0] += 1 }
        var samples = phases.sorted { $0.key.rawValue < $1.key.rawValue }.map { phase, count in
            PrometheusSample(
                "supervised_push_links", labels: [label, ("phase", phase.rawValue)], Double(count))
        }
        if let age = status.tokenAge {
            samples.append(PrometheusSample("supervised_push_token_age_seconds", labels: [label], age / .seconds(1)))
        }
        if let end = status.credential.notAfter {
            let days = end.timeIntervalSinceNow / 86_400
            samples.append(PrometheusSample("supervised_push_certificate_days_left", labels: [label], days))
        }
        return samples
    }
}
