import ArgumentParser
import PushInspection

/// Where a command that runs for long shows its metrics and its health.
struct PrometheusOptions: ParsableArguments {
    @Option(
        name: .customLong("metrics"),
        help: ArgumentHelp(
            """
            Serve Prometheus metrics at /metrics, and health at /livez and /readyz, at this address and port; port 0 \
            takes a free one. They have no secret and need no token.
            """, valueName: "address:port"))
    var address: String?

    @Option(
        name: .customLong("metrics-file"),
        help: ArgumentHelp(
            "Write the metrics into this file every 5 s and at the end, for the textfile collector of node_exporter.",
            valueName: "file"), completion: .file(extensions: ["prom"]))
    var file: String?

    init() {}

    /// Where it listens; nil if that is not said. `validate` has checked it.
    var place: InboxAddress? { address.flatMap { InboxAddress($0) } }

    mutating func validate() throws {
        if let address, place == nil {
            throw ValidationError(
                "--metrics '\(address)' is not an address and a port; give one such as 127.0.0.1:9464 or [::]:0.")
        }
        if let file, file.isEmpty || file == "-" {
            throw ValidationError("--metrics-file needs the name of a file, such as pushctl.prom.")
        }
    }
}
