#if Server
    import HTTPTypes
    import Hummingbird
    import PushInspection
    import PushTransport

    /// Shows what a running program measures, and whether it is well: `/metrics` in Prometheus' text format, `/livez` and
    /// `/readyz`.
    ///
    /// It changes nothing and shows no secret, so it needs no token. On loopback, a request to another host name gets 421:
    /// no page of another site can read it by DNS rebinding.
    package final class MetricsDoor: Sendable {
        /// Whether the program does what it is there for, and why not, a line for each reason.
        package struct Health: Sendable {
            package var isReady: Bool
            package var lines: [String]

            package init(isReady: Bool, lines: [String] = []) {
                self.isReady = isReady
                self.lines = lines
            }

            fileprivate var response: Response {
                let text = lines.isEmpty ? (isReady ? "ok" : "not ready") : lines.joined(separator: "\n")
                return .text("\(text)\n", status: isReady ? .ok : .serviceUnavailable)
            }
        }

        /// Where it is, such as `http://127.0.0.1:9464`.
        package let url: String
        private let door: HTTPDoor

        /// Listens.
        ///
        /// - Parameters:
        ///   - metrics: The text of `/metrics`.
        ///   - health: The answer of `/readyz`.
        /// - Throws: ``InboxError`` if the address cannot be used.
        package init(
            host: String, port: Int, metrics: @escaping @Sendable () async -> String,
            health: @escaping @Sendable () async -> Health
        ) async throws(InboxError) {
            let router = Router(context: BasicRequestContext.self, options: .autoGenerateHeadEndpoints)
            if InboxAddress.isLoopback(host) {
                router.add(middleware: GateMiddleware(gate: Gate(host: host, names: []), guardian: nil))
            }
            router.get("/livez") { _, _ in Response.text("ok\n") }
            router.get("/readyz") { _, _ in await health().response }
            router.get("/metrics") { _, _ in
                Response.bytesOf(Array(await metrics().utf8), type: "text/plain; version=0.0.4; charset=utf-8")
            }
            door = try await HTTPDoor(router, at: Endpoint(host: host, port: port), for: "--metrics")
            url = "http://\(Endpoint(host: host, port: door.port))"
        }

        /// Stops listening.
        package func stop() async { await door.close() }
    }
#endif
