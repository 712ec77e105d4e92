#if Server
    import Hummingbird
    import HummingbirdCore
    import Logging
    import NIOCore
    import PushTransport
    import ServiceLifecycle

    /// An HTTP server on one address, from its start to its end. It says nothing by itself: what it does is seen in its
    /// answers.
    final class HTTPDoor: Sendable {
        /// The port that it listens on.
        let port: Int
        private let group: ServiceGroup
        private let task: Task<Void, Never>

        /// Listens.
        ///
        /// - Throws: ``InboxError`` in the words of `what`, such as `The inbox`, if the address cannot be used.
        init(
            _ router: Router<BasicRequestContext>, at endpoint: Endpoint, for what: String
        ) async throws(InboxError) {
            let (ports, running) = AsyncThrowingStream<Int, any Error>.makeStream()
            let group = Self.server(router, endpoint) { running.yield($0) }
            self.group = group
            task = Task {
                do {
                    try await group.run()
                    running.finish()
                } catch {
                    running.finish(throwing: error)
                }
            }
            do {
                var iterator = ports.makeAsyncIterator()
                port = try await iterator.next() ?? 0
            } catch {
                // The sentence that the simulator has for its own ports.
                let why = (error as? IOError).map { errnoText($0.errnoCode) } ?? "\(error)"
                throw InboxError("\(what) cannot listen on \(endpoint): \(why). Choose another address or port.")
            }
        }

        private static func server(
            _ router: Router<BasicRequestContext>, _ endpoint: Endpoint,
            onRunning: @escaping @Sendable (Int) -> Void
        ) -> ServiceGroup {
            let logger = Logger(label: "push-inbox", factory: { _ in SwiftLogNoOpLogHandler() })
            let application = Application(
                router: router,
                // A connection with an answer under way is not idle: an event stream may be silent for longer.
                server: .http1(configuration: .init(idleTimeout: .seconds(60))),
                configuration: ApplicationConfiguration(
                    address: .hostname(endpoint.host, port: endpoint.port),
                    availableConnectionsDelegate: MaximumAvailableConnections(512)),
                onServerRunning: { onRunning($0.localAddress?.port ?? 0) }, logger: logger)
            var services = ServiceGroupConfiguration(services: [application], logger: logger)
            services.maximumGracefulShutdownDuration = Duration.seconds(2)
            return ServiceGroup(configuration: services)
        }

        deinit {
            let group = group
            Task { await group.triggerGracefulShutdown() }
        }

        /// Stops listening. Returns when its port is free.
        func close() async {
            await group.triggerGracefulShutdown()
            await task.value
        }
    }
#endif
