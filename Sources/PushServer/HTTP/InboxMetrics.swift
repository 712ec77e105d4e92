/// The figures of an inbox, as text of Prometheus.
enum InboxMetrics {
    static func text(_ totals: InboxTotals, connections: Int, devices: Int, readers: Int) -> String {
        var lines: [String] = []
        func add(_ name: String, _ type: String, _ help: String, _ values: [(String, Int)]) {
            lines += ["# HELP push_inbox_\(name) \(help)", "# TYPE push_inbox_\(name) \(type)"]
            for (labels, value) in values { lines.append("push_inbox_\(name)\(labels) \(value)") }
        }
        add("accepted_total", "counter", "Pushes that were accepted.", [("", totals.accepted)])
        add(
            "refused_total", "counter", "Pushes that were refused, by reason.",
            totals.refusals.sorted { $0.key < $1.key }.map { ("{reason=\"\($0.key)\"}", $0.value) })
        add("evicted_total", "counter", "Pushes that made room for others.", [("", totals.evicted)])
        add("kept", "gauge", "Pushes that are kept.", [("", totals.kept)])
        add("kept_bytes", "gauge", "About the bytes that they take.", [("", totals.keptBytes)])
        add("connections", "gauge", "Open connections of providers.", [("", connections)])
        add("devices", "gauge", "Devices that are known.", [("", devices)])
        add("readers", "gauge", "Readers of the event stream.", [("", readers)])
        return lines.joined(separator: "\n") + "\n"
    }
}
