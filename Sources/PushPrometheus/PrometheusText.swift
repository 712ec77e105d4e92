/// Figures in Prometheus' text format, version 0.0.4.
package struct PrometheusText {
    /// What a metric is.
    package enum Kind: String, Sendable { case counter, gauge, histogram }

    /// A label and its value.
    package typealias Label = (name: String, value: String)

    /// What was written so far.
    package private(set) var text = ""

    package init() {}

    /// Begins a metric, whose samples follow.
    package mutating func begin(_ name: String, _ kind: Kind, help: String) {
        let help = Self.escaped(help, alsoQuotes: false)
        if !help.isEmpty { text += "# HELP \(name) \(help)\n" }
        text += "# TYPE \(name) \(kind.rawValue)\n"
    }

    /// Writes a sample.
    package mutating func sample(_ name: String, labels: [Label] = [], _ value: Double) {
        text += "\(name)\(Self.text(labels)) \(Self.text(value))\n"
    }

    /// Labels as they stand behind a name; nothing if there are none.
    static func text(_ labels: [Label]) -> String {
        guard !labels.isEmpty else { return "" }
        let pairs = labels.map { "\(name($0.name))=\"\(escaped($0.value, alsoQuotes: true))\"" }
        return "{\(pairs.joined(separator: ","))}"
    }

    /// The name with `_` in place of what names must not have.
    static func name(_ name: String) -> String {
        var bytes = name.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: ":"):
                byte
            default: UInt8(ascii: "_")
            }
        }
        if let first = bytes.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) {
            bytes.insert(UInt8(ascii: "_"), at: 0)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func text(_ value: Double) -> String {
        if value == .infinity { return "+Inf" }
        if value == -.infinity { return "-Inf" }
        if value.isNaN { return "NaN" }
        return Int(exactly: value).map(String.init) ?? "\(value)"
    }

    private static func escaped(_ text: String, alsoQuotes: Bool) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where alsoQuotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}

/// One value that is read when the metrics are written.
package struct PrometheusSample: Sendable {
    package let name: String
    package let labels: [PrometheusText.Label]
    package let value: Double
    /// What its metric is; no histogram.
    package let kind: PrometheusText.Kind

    package init(
        _ name: String, labels: [PrometheusText.Label] = [], _ value: Double, kind: PrometheusText.Kind = .gauge
    ) {
        self.name = name
        self.labels = labels
        self.value = value
        self.kind = kind
    }
}
