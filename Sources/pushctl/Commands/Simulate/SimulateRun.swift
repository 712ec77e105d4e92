import PushCampaign
import PushLocking
import PushSimulator
import PushTerminal
import SupervisedPush

/// One run of a simulator: until a signal comes, or until the program that runs against it has ended.
struct SimulateRun {
    let options: SimulateOptions
    /// Whether the run is that of `pushctl inbox`.
    let isForInbox: Bool
    private let program: SimulatedProgram?
    private let remains = Remains()
    /// Whether the log is being opened, which waits for the reader of a named pipe.
    private let isOpeningLog = Locked(false)

    init(_ options: SimulateOptions, isForInbox: Bool = false) {
        self.options = options
        self.isForInbox = isForInbox
        program = SimulatedProgram(options.command)
    }

    /// - Returns: The exit code.
    func run() async throws(CommandError) -> Int32 {
        let (plan, metrics) = (try inboxPlan(), try PrometheusOutlet(options.metrics))
        let (stops, stopped) = AsyncStream<StopSignal>.makeStream()
        let signals = watch { stopped.yield($0) }
        let script = options.withLateTopics(try options.script.map(Self.script))
        if script?.metrics != nil, options.metricsPort == nil {
            throw .usage("the script has \"metrics\", which needs --metrics-port; 0 takes a free one.")
        }
        let files = try checkedFiles()
        let folder = try CredentialFolder(options.credentials, options.serverNames)
        remains.add { folder.removeIfTemporary() }
        defer { remains.remove() }
        var inputs = files
        for path in folder.files.paths { inputs.add("a file of its credentials", path: path) }

        let (server, inbox) = try await start(script, folder: folder, inbox: plan)
        // Files only now, so that a simulator that can't start does not touch those of another one.
        let settings = SimulatorSettings(
            host: options.clientHost, port: server.port ?? 0, managementPort: server.managementPort ?? 0,
            inbox: inbox?.url, metricsPort: server.metricsPort, folder)
        let config = try publish(settings, inputs)
        let log = try requestLog(inputs)
        Self.report(folder)
        log?.follow(server.ledger)
        try await metrics.begin(Self.reading(of: server)) { StandardError.write($0) }

        var code: Int32?
        var failure: CommandError?
        do throws(CommandError) {
            if let program {
                if isForInbox, let inbox { StandardError.write("pushctl: the inbox is at \(inbox.url)") }
                code = await program.run(settings.variables(config: config ?? ""))
            } else {
                try OutputFile.standardOutput.write(
                    isForInbox ? greeting(settings, inbox: inbox, config: config, plan: plan) : settings.line)
                var iterator = stops.makeAsyncIterator()
                _ = await iterator.next()
            }
        } catch {
            failure = error
        }
        await metrics.end()
        server.stop()
        await inbox?.stop()
        _ = await server.ledger.wait(within: .seconds(2)) { $0.openConnections == 0 }
        if let error = log?.finish() { StandardError.write(error.line) }
        if let failure { throw failure }
        SimulateSummary(server, script).write()
        return code ?? signals.first?.status.rawValue ?? ExitStatus.success.rawValue
    }

    private func watch(_ onFirst: @escaping @Sendable (StopSignal) -> Void) -> SignalWatcher {
        let (program, remains, isOpeningLog) = (program, remains, isOpeningLog)
        let first: @Sendable (StopSignal) -> Void = { signal in
            program?.pass(signal)
            onFirst(signal)
            if remains.isEmpty { SignalWatcher.endSoon(signal) }
            SignalWatcher.endSoon(signal, while: { isOpeningLog.withLock { $0 } }, remains.remove)
        }
        guard let program else {
            // It ends on its own within seconds. If it is held up, it must still leave no key behind.
            return .forCommand(onFirst: first, onInsisting: remains.remove)
        }
        return .forCommand(
            onFirst: first, onInsisting: program.insist,
            onOverdue: { signal in
                if program.end() { return }
                remains.remove()
                SignalWatcher.leave(signal)
            })
    }

    // MARK: Files

    private static func script(_ path: String) throws(CommandError) -> FaultScript {
        let bytes = try InputFile.contents(of: path, limit: 1 << 20)
        // As strict as --config and --payload, with the place.
        if let problem = JSONScanner.problem(inObject: bytes) { throw .configuration("\(path) \(problem)") }
        do {
            return try FaultScript(json: bytes)
        } catch {
            throw .configuration("\(path): \(error.description)")
        }
    }

    /// The files that it reads, after all checks that need no running simulator.
    private func checkedFiles() throws(CommandError) -> NamedFiles {
        var inputs = NamedFiles()
        inputs.add("the file of --script", path: options.script)
        try inputs.checkStandardStreams()
        try logRequest(inputs)?.check()
        if let path = options.writeConfig { try PublishedSettings(path, inputs).check() }
        return inputs
    }

    /// The file that requests are written to; nil if there is none.
    private func logRequest(_ inputs: NamedFiles) -> OutputRequest? {
        options.logFile.map { path in
            OutputRequest(
                flag: "--log", path: path, policy: options.existing.policy, beginning: RequestLog.beginning,
                inputs: inputs, ifExists: ExistingFileOptions.remedy)
        }
    }

    private func requestLog(_ inputs: NamedFiles) throws(CommandError) -> RequestLog? {
        let lines = options.verbose ? LiveLines() : nil
        guard options.log != nil else { return lines.map { RequestLog(nil, $0) } }
        guard let request = logRequest(inputs) else { return RequestLog(.standardOutput, lines) }
        isOpeningLog.withLock { $0 = true }
        defer { isOpeningLog.withLock { $0 = false } }
        return RequestLog(try request.open(), lines)
    }

    /// Writes the file that tells clients how to reach it. Returns its path; nil if there is none to write.
    private func publish(_ settings: SimulatorSettings, _ inputs: NamedFiles) throws(CommandError) -> String? {
        var path = options.writeConfig.map { AbsolutePath.of($0) }
        if program != nil || isForInbox, path == nil {
            let folder = try TemporaryFolder()
            remains.add { folder.remove(with: []) }
            path = folder.path + "/push.json"
        }
        guard let path else { return nil }
        let published = PublishedSettings(path, inputs)
        remains.add { published.remove() }
        try published.write(settings.line)
        return path
    }

    private static func report(_ folder: CredentialFolder) {
        guard folder.hasNewCertificate else { return }
        StandardError.write(
            ("pushctl: \(folder.files.serverCertificate) is new, because the kept one lacked a name;"
                + " clients that trust \(folder.files.authority) need nothing new").onOneLine)
    }
}
