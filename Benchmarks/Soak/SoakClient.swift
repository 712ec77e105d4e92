import Foundation
import PushSimulator
import SupervisedPush

/// The client's side: twenty named connections, as many pushes as go through, and the reckoning.
struct SoakClient {
    let seconds: Int
    let seed: UInt64

    static let connections = 20
    private static let window = 1_500
    /// How much resident memory may grow after the warm-up, in KiB: the ledgers of bits grow by one byte for two pushes.
    private static let growthKiB = 32 << 10

    /// True if all is well.
    func run() async throws -> Bool {
        let server = try ServerProcess(connections: Self.connections, seed: seed)
        let files = try ThrowAwayCredentials(directory: server.directory)
        let descriptors = try await warmUp(server.port, files)
        let runtime = PushRuntime(.init(logger: nil))
        let mailbox = Mailbox<LifecycleMessage>(limit: 100_000)
        let watching = Task { await SoakLog.count(mailbox) }
        let lanes = (0..<Self.connections).map { SoakLane($0, runtime) }
        for (number, lane) in lanes.enumerated() {
            try runtime.connect(name: lane.name, config: config(number, server.port, files), owner: mailbox)
        }
        let (memory, threads) = await load(lanes)

        var verdict = Verdict()
        let trouble = try server.ask("calm", until: "calm").dropLast()
        let isDrained = await drain(lanes, runtime)
        verdict.require(isDrained, "pushes were still under way 120 s after the end")
        await runtime.shutdown(within: .seconds(5))
        mailbox.close()
        let messages = await watching.value
        let report = try server.ask("report", until: "report")
        try judge(report, lanes, server, &verdict)
        server.end()
        await judgeResources(memory, threads, descriptors, &verdict)

        say("soak: \(seconds) s, seed \(seed), \(Self.connections) connections, half of them with a certificate")
        for line in verdict.lines { say(line) }
        say("lifecycle: " + messages)
        say("trouble: " + trouble.compactMap { SoakLog.trouble($0) }.joined(separator: ", "))
        for violation in verdict.violations { say("VIOLATION: \(violation)") }
        say(verdict.violations.isEmpty ? "soak: both ledgers agree" : "soak: FAILED")
        return verdict.violations.isEmpty
    }

    /// A connection that comes and goes, so that what Dispatch opens once for all is no growth. How many sockets there
    /// are after it.
    private func warmUp(_ port: Int, _ files: ThrowAwayCredentials) async throws -> Int {
        let runtime = PushRuntime(.init(logger: nil))
        try runtime.connect(name: "warm-up", config: config(0, port, files))
        try? await runtime.connection(named: "warm-up").waitUntilUp(timeout: .seconds(60))
        await runtime.shutdown(within: .seconds(1))
        return Meter.sockets
    }

    private func config(_ number: Int, _ port: Int, _ files: ThrowAwayCredentials) -> PushConnection.Configuration {
        let credential: Credential =
            number % 4 < 2
            ? .token(key: .pem(files.signingKeyPEM), keyID: files.keyID, teamID: files.teamID)
            : .certificate(.pem(files.providerCertificatePEM), privateKey: .pem(files.providerKeyPEM))
        var config = PushConnection.Configuration(
            host: "localhost", port: port, credential: credential, trust: .pem(files.authorityPEM),
            defaults: .init(topic: Topic(files.topic)), timeout: .seconds(5))
        config.liveness.connectTimeout = .seconds(2)
        config.retry.backoffCeiling = .seconds(2)
        config.lateWindow = .seconds(5)
        return config
    }

    private func load(_ lanes: [SoakLane]) async -> (memory: Samples, threads: Samples) {
        for lane in lanes { lane.start(window: Self.window) }
        var (memory, threads) = (Samples(), Samples())
        for _ in 0..<4 * seconds {
            try? await Task.sleep(for: .milliseconds(250))
            memory.add(Meter.residentKiB)
            threads.add(Meter.threads)
        }
        for lane in lanes { lane.stop() }
        return (memory, threads)
    }

    private func drain(_ lanes: [SoakLane], _ runtime: PushRuntime) async -> Bool {
        var isDrained = true
        for lane in lanes {
            isDrained =
                (try? await runtime.connection(named: lane.name).drain(within: .seconds(120))) == true && isDrained
        }
        return isDrained
    }

    private func judge(
        _ report: [String], _ lanes: [SoakLane], _ server: ServerProcess, _ verdict: inout Verdict
    ) throws {
        var counted = -1
        for line in report {
            let words = line.split(separator: " ").map(String.init)
            switch words.first {
            case "counts" where words.count == 4:
                counted = Int(words[1]) ?? -1
                verdict.require(words[3] == "0", "the server still has \(words[3]) connections")
            case "report" where words.count == 2:
                let bytes = try Data(contentsOf: URL(fileURLWithPath: words[1]))
                guard let ledger = ServerLedger(bytes: Array(bytes), connections: lanes.count) else {
                    throw SoakError("the server's ledger is damaged")
                }
                verdict.compare(lanes, ledger, counted: counted)
            default: break
            }
        }
    }

    private func judgeResources(
        _ memory: Samples, _ threads: Samples, _ descriptors: Int, _ verdict: inout Verdict
    ) async {
        verdict.require(
            memory.growth <= Self.growthKiB, "resident memory grew by \(memory.growth) KiB after the warm-up")
        let most = 3 * ProcessInfo.processInfo.activeProcessorCount + 16
        verdict.require(threads.peak <= most, "\(threads.peak) threads at most, more than \(most)")
        var left = Meter.sockets
        for _ in 0..<600 where left > descriptors {
            try? await Task.sleep(for: .milliseconds(100))
            left = Meter.sockets
        }
        verdict.require(left <= descriptors, "\(left - descriptors) sockets are left")
        verdict.note(
            "resources: \(memory.peak / 1_024) MiB resident at most, growth after warm-up \(memory.growth) KiB"
                + " (at most \(Self.growthKiB)); \(threads.peak) threads at most (of \(most));"
                + " \(max(0, left - descriptors)) sockets left")
    }

    private func say(_ line: String) { print(line) }
}
