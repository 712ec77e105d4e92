import PushSimulator
import PushTerminal

/// What a simulator processed, for a person, at its end.
struct SimulateSummary {
    private let ledger: Ledger.Snapshot
    private let rules: [(name: String, count: Int)]

    init(_ server: SimulatedAPNs, _ script: FaultScript?) {
        ledger = server.ledger.snapshot
        var seen: Set<String> = []
        let names = (script?.rules ?? []).compactMap(\.name).filter { seen.insert($0).inserted }
        rules = names.map { ($0, server.faults.count(named: $0)) }
    }

    func write() {
        StandardError.write(
            "pushctl: \(Figures.counted(ledger.pushes, one: "push", many: "pushes")) processed,"
                + " \(Figures.grouped(ledger.accepted)) accepted, \(Figures.grouped(ledger.refused)) refused,"
                + " over \(Figures.counted(ledger.handshakes, one: "connection", many: "connections"))")
        if let channelLine { StandardError.write(channelLine) }
        // A rule that never fired has tested nothing.
        for rule in rules {
            let count = rule.count == 1 ? "once" : "\(Figures.grouped(rule.count)) times"
            // One without a name is called `rule 2`.
            let name = rule.name.hasPrefix("rule ") ? rule.name : "rule \(rule.name)"
            StandardError.write("pushctl: \(name) fired \(count)".onOneLine)
        }
    }

    /// Nil if there were no requests about channels.
    private var channelLine: String? {
        let (broadcasts, requests) = (ledger.broadcasts, ledger.channelRequests)
        guard broadcasts.requests + requests.requests > 0 else { return nil }
        return "pushctl: \(Figures.counted(broadcasts.requests, one: "broadcast", many: "broadcasts")) processed,"
            + " \(Figures.grouped(broadcasts.refused)) refused;"
            + " \(Figures.counted(requests.requests, one: "request", many: "requests")) about channels,"
            + " \(Figures.grouped(requests.refused)) refused"
    }
}
