#if Server
    import PushInspection
    import PushSimulator
    import PushTransport

    /// A push inbox: a page and an HTTP API that show what a simulated APNs got, and devices that behave like devices.
    ///
    /// ```swift
    /// let inbox = try await apple.inbox()
    /// print(inbox.url)  // http://127.0.0.1:49152
    /// ```
    /// It needs the trait `Server` of this package. A push is in the inbox before its provider sees the answer. Start it
    /// before providers connect: of connections that are older it shows only what the simulator's ledger takes anyway.
    /// A simulator has one inbox at a time. All functions may be called from any thread. It ends with ``stop()``, or when
    /// it is released.
    public final class PushInbox: Sendable {
        /// How it is reached, and what it keeps.
        public struct Configuration: Sendable {
            /// The address to listen on, an IP literal or `localhost`. `127.0.0.1` by default.
            public var host = "127.0.0.1"
            /// The port, 0…65535. 0, the default, chooses a free one.
            public var port = 0
            /// Further names by which it may be reached. The address and `localhost` always are. Requests to other names
            /// get 421, so that no page of another site can read it by DNS rebinding.
            public var names: [String] = []
            /// What a client must show, in `Authorization: Bearer` or once in the form of the page. Nil, the default, lets
            /// everyone in who reaches the address, and is refused for an address beyond loopback.
            public var token: String?
            /// What it keeps.
            public var limits = InboxLimits()

            /// Creates the default configuration.
            public init() {}
        }

        /// Where it is, such as `http://127.0.0.1:49152`.
        public let url: String
        /// The port that it listens on.
        public let port: Int

        private let service: InboxService
        private let door: HTTPDoor

        /// Starts an inbox for a simulator.
        ///
        /// - Throws: ``InboxError`` if the address can't be used, or others reach it without a token.
        public init(
            _ apple: SimulatedAPNs, _ configuration: Configuration = Configuration()
        ) async throws(InboxError) {
            try configuration.check()
            let service = InboxService(apple, limits: configuration.limits)
            self.service = service
            guard apple.observe(service.store) else {
                throw InboxError("The simulator has an inbox already; stop that one, or use it.")
            }
            do throws(InboxError) {
                door = try await HTTPDoor(
                    InboxRoutes(service, configuration).router, at: configuration.endpoint, for: "The inbox")
            } catch {
                apple.stopObserving(service.store)
                throw error
            }
            port = door.port
            url = "http://\(Endpoint(host: configuration.host, port: port))"
        }

        deinit { leave() }

        /// Stops listening, and ends what readers wait for. Returns when its port is free.
        public func stop() async {
            leave()
            await door.close()
        }

        private func leave() {
            service.apple.stopObserving(service.store)
            service.store.close()
        }
    }

    extension PushInbox.Configuration {
        fileprivate var endpoint: Endpoint { Endpoint(host: host, port: port) }

        fileprivate func check() throws(InboxError) {
            guard host == "localhost" || ServerName(host)?.isAddress == true else {
                throw InboxError("\(host) is not an address; give one of this machine, or localhost.")
            }
            guard (0...65535).contains(port) else {
                throw InboxError("\(port) is not a port; give a number from 0 to 65535.")
            }
            guard token?.isEmpty != true else { throw InboxError("The token is empty; give one, or none.") }
            guard InboxAddress.isLoopback(host) || token != nil else {
                throw InboxError("The address \(host) is reached by others; give a token.")
            }
        }
    }

    extension SimulatedAPNs {
        /// Starts a push inbox for this simulator, by default on a free port of 127.0.0.1.
        ///
        /// - Throws: ``InboxError`` if the address can't be used.
        public func inbox(
            _ configuration: PushInbox.Configuration = PushInbox.Configuration()
        ) async throws(InboxError) -> PushInbox {
            try await PushInbox(self, configuration)
        }
    }
#endif
