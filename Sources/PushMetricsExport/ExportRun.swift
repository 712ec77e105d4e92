import Dispatch
import ProcessRuntime
import PushHTTP1
import PushLocking
import PushTransport

/// Performs what the machine decides: one exchange or pause at a time, until there is a report or an error.
package struct ExportRun: Sendable {
    /// Apple's host of exports.
    package static let appleHost = Endpoint(host: "api.icloud.apple.com", port: 443)

    /// How servers are reached.
    package struct Network: Sendable {
        let context: TLSContext
        let connector: @Sendable (Endpoint) throws(ExportError) -> any Connector

        /// - Parameters:
        ///   - context: What is trusted; it offers nothing by ALPN, which means HTTP/1.1.
        ///   - connector: The way to a server: direct, or through a proxy.
        package init(
            context: TLSContext, connector: @escaping @Sendable (Endpoint) throws(ExportError) -> any Connector
        ) {
            self.context = context
            self.connector = connector
        }
    }

    private let order: ExportOrder
    private let host: Endpoint
    private let token: ManagementToken
    private let limits: ExportMachine.Limits
    private let network: Network
    private let time: any TimeSource
    private let queue = DispatchQueue(label: "push.metrics", target: .global(qos: .userInitiated))

    package init(
        _ order: ExportOrder, at host: Endpoint = appleHost, token: ManagementToken,
        limits: ExportMachine.Limits = .init(), network: Network, time: any TimeSource = SystemTime()
    ) {
        self.order = order
        self.host = host
        self.token = token
        self.limits = limits
        self.network = network
        self.time = time
    }

    /// Returns the report's bytes. Cancelling the task stops it.
    ///
    /// - Parameter onPause: Called before each pause.
    package func run(onPause: @Sendable (Duration) -> Void = { _ in }) async throws(ExportError) -> [UInt8] {
        var machine = ExportMachine(order, at: host, hiding: token, limits: limits)
        var event = ExportMachine.Event.begin
        while true {
            switch machine.handle(Task.isCancelled ? .stop : event, at: .nanoseconds(time.now.nanoseconds)) {
            case .exchange(let query): event = await exchange(query)
            case .pause(let pause):
                onPause(pause)
                await wait(pause)
                event = .paused
            case .end(let result): return try result.get()
            }
        }
    }

    private func exchange(_ query: WebQuery) async -> ExportMachine.Event {
        let connector: any Connector
        do { connector = try network.connector(query.address.endpoint) } catch {
            return .failed(WebFailure(kind: .link, sentence: error.sentence))
        }
        guard let request = query.bytes(token: token) else {
            return .failed(
                WebFailure(kind: .malformed, sentence: "The address of \(query.address.authority) cannot be used."))
        }
        let running = Locked<WebExchange?>(nil)
        let result = await withTaskCancellationHandler {
            await withHandOver(of: Result<HTTP1Message, WebFailure>.self) { handOver in
                let exchange = WebExchange(
                    to: query.address.endpoint, request: request, mostBytes: query.mostBytes, limit: query.limit
                ) { handOver.resume(returning: $0) }
                running.withLock { $0 = exchange }
                queue.async { [context = network.context, queue] in exchange.start(connector, context, on: queue) }
                // The handler below may have come before there was an exchange.
                if Task.isCancelled { queue.async { exchange.cancel() } }
            }
        } onCancel: {
            if let exchange = running.withLock({ $0 }) { queue.async { exchange.cancel() } }
        }
        switch result {
        case .success(let answer): return .answered(answer)
        case .failure(let failure): return .failed(failure)
        }
    }

    private func wait(_ pause: Duration) async {
        try? await Task.sleep(for: pause)
    }
}
