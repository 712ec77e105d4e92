/// The figures of an inbox, as text of Prometheus.
enum InboxMetrics {
    static func text(_ totals: InboxTotals, connections: Int, devices: Int, readers: Int) -> String {
        var lines: [String] = []
        func add(_ name: String, type: String, help: String, _ values: [(String, Int)]) {
            lines += ["# HELP push_inbox_\(name) \(help)", "# TYPE push_inbox_\(name) \(type)"]
            for (labels, value) in values { lines.append("push_inbox_\(name)\(labels) \(value)") }
        }
        add("accepted_total", type: "counter", help: "Pushes that were accepted.", [("", totals.accepted)])
        add(
            "refused_total", type: "counter", help: "Pushes that were refused, by reason.",
            totals.refusals.sorted { $0.key < $1.key }.map { ("{reason=\"\($0.key)\"}", $0.value) })
        add("evicted_total", type: "counter", help: "Pushes that made room for others.", [("", totals.evicted)])
        add("kept", type: "gauge", help: "Pushes that are kept.", [("", totals.kept)])
        add("kept_bytes", type: "gauge", help: "About the bytes that they take.", [("", totals.keptBytes)])
        add("connections", type: "gauge", help: "Open connections of providers.", [("", connections)])
        add("devices", type: "gauge", help: "Devices that are known.", [("", devices)])
        add("readers", type: "gauge", help: "Readers of the event stream.", [("", readers)])
        return lines.joined(separator: "\n") + "\n"
    }
}
