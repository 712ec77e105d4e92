import PushCampaign
import PushInspection
import PushPrometheus
import PushSimulator
import PushTerminal
import SupervisedPush

/// The simulator of a run, and its inbox.
extension SimulateRun {
    /// The ports of `pushctl inbox`, so that what is kept in a program's settings stays true. Apple has the first one, too.
    private static let usual = (port: 2197, inbox: InboxAddress(host: "127.0.0.1", port: 8035))

    /// Nil if the run has no inbox.
    func inboxPlan() throws(CommandError) -> InboxPlan? {
        let place = options.inbox.place
        guard isForInbox || place != nil else { return nil }
        try RunningInbox.checkIsBuiltIn()
        let usual = [Self.usual.inbox, InboxAddress(host: Self.usual.inbox.host, port: 0)]
        return try InboxPlan(options.inbox, at: place.map { [$0] } ?? usual)
    }

    /// Starts both. The inbox is first, so that it misses nothing.
    func start(
        _ script: FaultScript?, folder: CredentialFolder, inbox plan: InboxPlan?
    ) async throws(CommandError) -> (SimulatedAPNs, RunningInbox?) {
        DescriptorLimit.raise()
        var configuration = SimulatedAPNs.Configuration()
        configuration.host = options.host
        configuration.port = options.port
        configuration.managementPort = options.managementPort
        configuration.script = script
        configuration.metrics = options.metricsPort.map { port in
            var metrics = SimulatedMetrics()
            metrics.port = port
            return metrics
        }
        configuration.credentials = folder.credentials
        configuration.topics =
            isForInbox && options.topics.isEmpty && options.lateTopics.isEmpty
            ? .any : options.topics(with: folder.credentials)
        configuration.ledger = RequestLog.detail(hasFile: options.log != nil, hasLines: options.verbose)
        if isForInbox, options.port == 0 {
            configuration.port = Self.usual.port
            if let both = try? await Self.start(configuration, plan) { return both }
            configuration.port = 0
        }
        return try await Self.start(configuration, plan)
    }

    private static func start(
        _ configuration: SimulatedAPNs.Configuration, _ plan: InboxPlan?
    ) async throws(CommandError) -> (SimulatedAPNs, RunningInbox?) {
        let server: SimulatedAPNs
        do { server = try SimulatedAPNs(configuration) } catch { throw CommandError(error) }
        var inbox: RunningInbox?
        if let plan { inbox = try await RunningInbox.start(server, plan) }
        do { try server.start() } catch {
            await inbox?.stop()
            throw CommandError(error)
        }
        return (server, inbox)
    }

    /// What is read of the simulator when the metrics are shown.
    static func reading(of server: SimulatedAPNs) -> PrometheusOutlet.Reading {
        .init(
            samples: {
                let ledger = server.ledger.snapshot
                let name = "push_simulator_pushes_total"
                return [
                    PrometheusSample(name, labels: [("outcome", "accepted")], Double(ledger.accepted), kind: .counter),
                    PrometheusSample(name, labels: [("outcome", "refused")], Double(ledger.refused), kind: .counter),
                    PrometheusSample(
                        "push_simulator_connections_total", Double(ledger.handshakes), kind: .counter),
                    PrometheusSample("push_simulator_open_connections", Double(server.connectionCount)),
                ]
            },
            health: {
                server.isListening
                    ? .init(isReady: true) : .init(isReady: false, lines: ["the simulator does not listen"])
            })
    }

    /// What `pushctl inbox` prints.
    func greeting(
        _ settings: SimulatorSettings, inbox: RunningInbox?, config: String?, plan: InboxPlan?
    ) -> [UInt8] {
        let greeting = InboxGreeting(
            inbox: inbox?.url ?? "", needsToken: plan?.token != nil,
            variables: settings.variables(config: config ?? ""))
        return Array(greeting.text.utf8)
    }
}
