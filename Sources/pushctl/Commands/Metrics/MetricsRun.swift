import ArgumentParser
import PushCampaign
import PushLocking
import PushMetricsExport
import PushTerminal
import PushTransport
import SupervisedPush

/// One report: it asks for it, waits, prints it, and exits with a code.
struct MetricsRun {
    /// No bundle of certificates is larger.
    private static let longestBundle = 4 << 20

    private let options: MetricsOptions
    private let order: ExportOrder

    init(_ options: MetricsOptions, order: ExportOrder) {
        self.options = options
        self.order = order
    }

    /// - Throws: The exit code, if it is not 0.
    func run() async throws {
        let token = try options.token()
        // A file that cannot be read is said before Apple is asked.
        let own = try OwnCounts(options)
        var limits = ExportMachine.Limits()
        limits.wait = options.maxWait.duration
        let export = ExportRun(order, at: try options.host(), token: token, limits: limits, network: try network())
        let said = Locked(false)
        let wait = Int(options.maxWait.value)
        let work = Task { () -> Result<[UInt8], ExportError> in
            do throws(ExportError) {
                return .success(
                    try await export.run { _ in
                        guard
                            !said.withLock({ said in
                                defer { said = true }; return said
                            })
                        else { return }
                        StandardError.write("pushctl: the report is being made; it may take \(wait) s")
                    })
            } catch { return .failure(error) }
        }
        let signals = SignalWatcher.forCommand(onFirst: { _ in work.cancel() }, onInsisting: { work.cancel() })
        let result = await work.value
        if let signal = signals.first { throw ExitCode(signal.status.rawValue) }
        let bytes: [UInt8]
        do { bytes = try result.get() } catch { throw CommandError(Self.status(error.kind), error.sentence) }
        try print(MetricsTable(bytes), own)
    }

    private func print(_ table: MetricsTable, _ own: OwnCounts?) throws(CommandError) {
        let output = OutputFile.standardOutput
        if options.json {
            try output.write(table.json + (own?.json ?? []))
        } else if options.csv {
            try output.write(table.csv)
            // The file has Apple's columns, and ours fit none of them.
            if let own { StandardError.write(own.text) }
        } else {
            try output.write(Array((table.text + (own.map { $0.text + "\n" } ?? "")).utf8))
        }
    }

    private static func status(_ kind: ExportError.Kind) -> ExitStatus {
        switch kind {
        case .tokenRefused: .refused
        case .unavailable, .stopped: .unavailable
        case .refused, .badAnswer, .tooLarge: .rejectedOrFailed
        }
    }

    // MARK: The network

    private func network() throws(CommandError) -> ExportRun.Network {
        let proxy = try options.proxySetting()
        let context: TLSContext
        let trust = try trust()
        do throws(KeyError) {
            context = try TLSContext.client(trust: trust, alpn: .none)
        } catch { throw .configuration("--trust-roots: \(error)") }
        return ExportRun.Network(context: context) { endpoint throws(ExportError) in
            do throws(ConnectError) {
                let plan = try DialPlan(Self.route(to: endpoint, proxy))
                return plan.proxy.map { ProxyConnector($0, through: SocketConnector()) } ?? SocketConnector()
            } catch { throw ExportError(.unavailable, error.description) }
        }
    }

    /// A connection that is never made: it says which way leads to the host.
    private static func route(to endpoint: Endpoint, _ proxy: ProxySetting) -> PushConnection.Configuration {
        var config = PushConnection.Configuration(
            environment: .production, host: endpoint.host, port: endpoint.port,
            credential: .tokens(from: "nowhere") { try BearerToken("none") })
        config.proxy = proxy
        return config
    }

    private func trust() throws(CommandError) -> TrustAnchors {
        guard let path = options.trustRoots else { return .system }
        do { return .pem(try InputFile.contents(of: path, limit: Self.longestBundle)) } catch {
            throw .configuration("--trust-roots: \(error.message)")
        }
    }
}
