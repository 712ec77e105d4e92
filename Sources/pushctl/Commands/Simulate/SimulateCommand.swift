import ArgumentParser
import PushLocking
import PushSimulator

/// `pushctl simulate`: runs a simulated APNs for other programs.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run a simulated APNs on loopback until a signal comes (INT, TERM, HUP).",
        discussion: """
            Prints its ports and the files a client needs as one JSON line. A folder given with --credentials is \
            created, or reused as it is; without it the files are temporary and removed at the end.

            The first eight digits of a device token say what should happen to it: deadbeef is unregistered and \
            deadc0de expired since now (410), baadf00d is not a device token and 0ddba115 one of another topic (400), \
            f100ded0 gets too many pushes (429). Any other is accepted, unless it consists of zeros.
            """)

    @OptionGroup var options: SimulateOptions

    func run() async throws {
        let status = try await simulate()
        if status != .success { throw ExitCode(status.rawValue) }
    }

    private func simulate() async throws(CommandError) -> ExitStatus {
        let (stops, stopped) = AsyncStream<StopSignal>.makeStream()
        let made = Locked<CredentialFolder?>(nil)
        // It ends on its own within seconds. If it is held up, it must still leave no key behind.
        let signals = SignalWatcher.forCommand(
            onFirst: { signal in
                stopped.yield(signal)
                if made.withLock({ $0 == nil }) { SignalWatcher.endSoon(signal) }
            },
            onInsisting: { made.withLock { $0 }?.removeIfTemporary() })
        let script = try options.script.map(Self.script)
        var inputs = NamedFiles()
        inputs.add("the file of --script", path: options.script)
        try inputs.checkStandardStreams()
        try logRequest(inputs)?.check()
        let folder = try CredentialFolder(options.credentials)
        made.withLock { $0 = folder }
        defer { folder.removeIfTemporary() }
        for path in folder.files.paths { inputs.add("a file of its credentials", path: path) }

        var configuration = SimulatedAPNs.Configuration()
        configuration.port = options.port
        configuration.managementPort = options.managementPort
        configuration.script = script
        configuration.credentials = folder.credentials
        configuration.ledger = Ledger.Detail(distinctKeys: 0, records: options.log == nil ? 0 : RequestLog.capacity)
        let server = try Self.start(configuration)
        // Only now, so that a simulator that can't start does not touch the log of another one.
        let log = try self.log(inputs)
        try OutputFile.standardOutput.write(Self.introduction(server, folder))
        log?.follow(server.ledger)

        var iterator = stops.makeAsyncIterator()
        _ = await iterator.next()
        server.stop()
        _ = await server.ledger.wait(within: .seconds(2)) { $0.openConnections == 0 }
        if let error = log?.finish() { StandardError.write(error.line) }
        let ledger = server.ledger.snapshot
        StandardError.write(
            "pushctl: \(Figures.grouped(ledger.pushes)) pushes processed, \(Figures.grouped(ledger.accepted)) accepted,"
                + " \(Figures.grouped(ledger.refused)) refused, over \(Figures.grouped(ledger.handshakes)) connections")
        if let line = Self.channelLine(ledger) { StandardError.write(line) }
        if let script { StandardError.write(Self.report(script, server)) }
        return signals.first?.status ?? .success
    }

    /// The file that requests are written to; nil if there is none.
    private func logRequest(_ inputs: NamedFiles) -> OutputRequest? {
        options.logFile.map { path in
            OutputRequest(
                flag: "--log", path: path, policy: options.existing.policy, beginning: RequestLog.beginning,
                inputs: inputs)
        }
    }

    private func log(_ inputs: NamedFiles) throws(CommandError) -> RequestLog? {
        guard options.log != nil else { return nil }
        guard let request = logRequest(inputs) else { return RequestLog(.standardOutput) }
        return RequestLog(try request.open())
    }

    private static func script(_ path: String) throws(CommandError) -> FaultScript {
        let bytes = try InputFile.contents(of: path, limit: 1 << 20)
        do {
            return try FaultScript(json: bytes)
        } catch {
            throw .configuration("\(path): \(error.description)")
        }
    }

    /// Nil if there were no requests about channels.
    private static func channelLine(_ ledger: Ledger.Snapshot) -> String? {
        let (broadcasts, requests) = (ledger.broadcasts, ledger.channelRequests)
        guard broadcasts.requests + requests.requests > 0 else { return nil }
        return "pushctl: \(Figures.grouped(broadcasts.requests)) broadcasts processed,"
            + " \(Figures.grouped(broadcasts.refused)) refused;"
            + " \(Figures.grouped(requests.requests)) requests about channels,"
            + " \(Figures.grouped(requests.refused)) refused"
    }

    /// How often each rule fired: a rule that never fired has tested nothing.
    private static func report(_ script: FaultScript, _ server: SimulatedAPNs) -> String {
        var seen: Set<String> = []
        return script.rules.compactMap(\.name).filter { seen.insert($0).inserted }.map { name in
            let count = server.faults.count(named: name)
            return "pushctl: \(name) fired \(count == 1 ? "once" : "\(Figures.grouped(count)) times")".onOneLine
        }.joined(separator: "\n")
    }

    private static func start(_ configuration: SimulatedAPNs.Configuration) throws(CommandError) -> SimulatedAPNs {
        do {
            let server = try SimulatedAPNs(configuration)
            try server.start()
            return server
        } catch {
            throw CommandError(error)
        }
    }

    private static func introduction(_ server: SimulatedAPNs, _ folder: CredentialFolder) -> [UInt8] {
        var object = JSONLine()
        object.add("host", "localhost")
        object.add("port", server.port)
        object.add("management_port", server.managementPort)
        object.add("credentials", folder.path)
        object.add("trust_roots", folder.files.authority)
        object.add("key", folder.files.signingKey)
        object.add("key_id", folder.credentials.keyID)
        object.add("team_id", folder.credentials.teamID)
        object.add("topic", folder.credentials.topic)
        object.add("certificate", folder.files.providerCertificate)
        object.add("private_key", folder.files.providerKey)
        return object.line
    }
}
