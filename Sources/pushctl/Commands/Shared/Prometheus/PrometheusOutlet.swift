import ArgumentParser
import PushCampaign
import PushInspection
import PushLocking
import PushPrometheus
import PushTerminal
import SupervisedPush

#if Server
    import PushServer
#endif

/// The metrics of a running command: what the library counts, and what is read when they are shown. They go to a file, to
/// those who ask at an address, to both or to neither.
final class PrometheusOutlet: Sendable {
    /// Whether the command does what it is there for, and why not, a line for each reason.
    struct Health: Sendable {
        var isReady: Bool
        var lines: [String] = []
    }

    /// What is read when the metrics are shown.
    struct Reading: Sendable {
        var samples: @Sendable () async -> [PrometheusSample]
        var health: @Sendable () async -> Health
    }

    /// Longer than any file that it writes.
    private static let longest = 16 << 20
    /// Between two writes of the file.
    static let interval = Duration.seconds(5)

    private let factory = PrometheusFactory()
    private let options: PrometheusOptions
    private let running = Locked<Running?>(nil)
    /// Of the file that was written last.
    private let identity = Locked<FileIdentity?>(nil)

    private struct Running: Sendable {
        var door: RunningDoor?
        var writing: Task<Void, Never>?
        let reading: Reading
    }

    /// - Throws: If the program was built without what `--metrics` needs.
    init(_ options: PrometheusOptions) throws(CommandError) {
        self.options = options
        if options.place != nil { try RunningDoor.checkIsBuiltIn() }
    }

    private var isAsked: Bool { options.place != nil || options.file != nil }

    /// Where connections and workers count.
    var destination: MetricsDestination { isAsked ? .factory(factory) : .none }

    /// Shows the metrics from now on.
    ///
    /// - Parameter say: Writes a line on standard error.
    /// - Throws: If the file or the address cannot be used.
    func begin(_ reading: Reading, say: @escaping @Sendable (String) -> Void) async throws(CommandError) {
        guard isAsked else { return }
        var running = Running(reading: reading)
        if let path = options.file {
            try Self.check(path)
            try await write(to: path, reading)
            running.writing = Task { await self.writeAgain(to: path, reading, say: say) }
        }
        if let place = options.place {
            do throws(CommandError) {
                let door = try await RunningDoor.open(place, text: { await self.text(reading) }, health: reading.health)
                running.door = door
                say("pushctl: metrics at \(door.url)/metrics")
            } catch {
                running.writing?.cancel()
                await running.writing?.value
                throw error
            }
        }
        self.running.withLock { $0 = running }
    }

    /// Writes the file once more, and stops listening.
    func end() async {
        guard let running = running.withLock({ $0.take() }) else { return }
        running.writing?.cancel()
        await running.writing?.value
        if let path = options.file { try? await write(to: path, running.reading) }
        await running.door?.close()
    }

    private func text(_ reading: Reading) async -> String {
        let build = PrometheusSample(
            "supervised_push_build_info", labels: [("version", Pushctl.configuration.version)], 1)
        return factory.text(adding: [build] + (await reading.samples()))
    }

    // MARK: The file

    /// Refuses everything that exists, except metrics.
    private static func check(_ path: String) throws(CommandError) {
        guard let status = FileStatus(at: path) else { return }
        // Not opened unless it is a file: a pipe would wait.
        let content = status.kind == .file ? try? InputFile.contents(of: path, limit: longest) : nil
        let beginnings = ["# HELP ", "# TYPE "]
        guard let content, beginnings.contains(where: { content.starts(with: $0.utf8) }) else {
            throw .usage("--metrics-file: \(path) exists, and has no metrics; name another file.")
        }
    }

    private func write(to path: String, _ reading: Reading) async throws(CommandError) {
        let text = Array(await text(reading).utf8)
        // Another program, or another flag, may have put a file of its own in its place.
        if let identity = identity.withLock({ $0 }), let present = FileIdentity(at: path), present != identity {
            throw .configuration("cannot write \(path): another file has its name now")
        }
        let new = try ReplacedFile.write(text, to: path, isForAll: true)
        identity.withLock { $0 = new }
    }

    /// Says once for each kind of failure why the file is old.
    private func writeAgain(
        to path: String, _ reading: Reading, say: @escaping @Sendable (String) -> Void
    ) async {
        var trouble: String?
        while (try? await Task.sleep(for: Self.interval)) != nil {
            do throws(CommandError) {
                try await write(to: path, reading)
                trouble = nil
            } catch {
                if trouble != error.line { say(error.line) }
                trouble = error.line
            }
        }
    }
}

#if Server
    /// Where the metrics are served.
    private struct RunningDoor: Sendable {
        private let door: MetricsDoor

        static func open(
            _ place: InboxAddress, text: @escaping @Sendable () async -> String,
            health: @escaping @Sendable () async -> PrometheusOutlet.Health
        ) async throws(CommandError) -> RunningDoor {
            do {
                let door = try await MetricsDoor(host: place.host, port: place.port, metrics: text) {
                    let health = await health()
                    return .init(isReady: health.isReady, lines: health.lines)
                }
                return RunningDoor(door: door)
            } catch {
                throw CommandError(.unavailable, error.description)
            }
        }

        var url: String { door.url }

        func close() async { await door.stop() }

        static func checkIsBuiltIn() throws(CommandError) {}
    }
#else
    /// Where the metrics are served, which this program was built without.
    private struct RunningDoor: Sendable {
        static func open(
            _ place: InboxAddress, text: @escaping @Sendable () async -> String,
            health: @escaping @Sendable () async -> PrometheusOutlet.Health
        ) async throws(CommandError) -> RunningDoor {
            throw absence
        }

        let url: String

        func close() async {}

        static func checkIsBuiltIn() throws(CommandError) { throw absence }

        private static let absence = CommandError(
            .unavailable,
            "this pushctl was built without --metrics; build it with swift build --traits Server, install it by"
                + " scripts/install.sh, or give --metrics-file")
    }
#endif
