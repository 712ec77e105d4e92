import PushPrometheus

/// The figures of an inbox, as text of Prometheus.
enum InboxMetrics {
    static func text(_ totals: InboxTotals, connections: Int, devices: Int, readers: Int) -> String {
        var text = PrometheusText()
        func add(_ name: String, _ kind: PrometheusText.Kind, help: String, _ values: [([PrometheusText.Label], Int)]) {
            text.begin("push_inbox_\(name)", kind, help: help)
            for (labels, value) in values { text.sample("push_inbox_\(name)", labels: labels, Double(value)) }
        }
        add("accepted_total", .counter, help: "Pushes that were accepted.", [([], totals.accepted)])
        add(
            "refused_total", .counter, help: "Pushes that were refused, by reason.",
            totals.refusals.sorted { $0.key < $1.key }.map { ([("reason", "\($0.key)")], $0.value) })
        add("evicted_total", .counter, help: "Pushes that made room for others.", [([], totals.evicted)])
        add("kept", .gauge, help: "Pushes that are kept.", [([], totals.kept)])
        add("kept_bytes", .gauge, help: "About the bytes that they take.", [([], totals.keptBytes)])
        add("connections", .gauge, help: "Open connections of providers.", [([], connections)])
        add("devices", .gauge, help: "Devices that are known.", [([], devices)])
        add("readers", .gauge, help: "Readers of the event stream.", [([], readers)])
        return text.text
    }
}
