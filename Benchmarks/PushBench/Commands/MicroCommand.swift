import ArgumentParser
import PushProtocol
import SupervisedPush

/// `PushBench micro`: the parts of a push, each alone, in nanoseconds.
struct MicroCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "micro", abstract: "Time payload, HPACK path, mailbox and machine by themselves.")

    @OptionGroup var line: LineOptions

    @Option(help: "Operations in a burst; at most 1,000.")
    var burst = 1_000

    @Option(help: "Bursts of each kind; the quickest counts.")
    var bursts = 200

    func run() async throws {
        guard (1...1_000).contains(burst), bursts > 0 else {
            throw BenchError("--burst is 1 to 1000, --bursts above 0")
        }
        let work = try Work(WorkOptions.parse(["--devices", "\(burst)"]))
        var values = try payload()
        var requests = try RequestPath(work, burst: burst)
        for _ in 0..<bursts { try requests.burst() }
        values["request_ns"] = requests.encoding.least
        values["answer_ns"] = requests.decoding.least
        values["request_bytes"] = Double(requests.requestBytes)
        values["machine_ns"] = try machine(Push(work.notification(0), to: work.token(0)))
        values.merge(try EncodingPath.time(burst: burst, bursts: bursts)) { $1 }
        var (mailbox, process) = (MicroTimer(), MicroTimer())
        for _ in 0..<bursts {
            try await MailboxPath.mailbox(burst, &mailbox)
            try await MailboxPath.process(burst, &process)
        }
        values["mailbox_ns"] = mailbox.least
        values["process_ns"] = process.least
        // What a push costs beside its payload, kernel and cipher not counted: the strictest measure for it.
        let rest = ["token_ns", "request_ns", "answer_ns", "machine_ns", "mailbox_ns"].reduce(0) {
            $0 + (values[$1] ?? 0)
        }
        values["rest_ns"] = rest
        values["alert_share"] = (values["alert_ns"] ?? 0) / rest
        values["full_share"] = (values["full_ns"] ?? 0) / rest
        try line.print("micro", values)
    }

    /// A typed alert to JSON; a device token from its digits.
    private func payload() throws -> [String: Double] {
        var (alert, token) = (MicroTimer(), MicroTimer())
        var bytes = 0
        let digits = (0..<burst).map(Work.hex)
        for _ in 0..<bursts {
            alert.time(burst) { for gate in 0..<burst { bytes += Work.alert(gate: 10 + gate % 90).payload.count } }
            try token.time(burst) { for text in digits { bytes += try DeviceToken(text).hex.utf8.count } }
        }
        guard bytes > 0 else { throw BenchError("nothing was encoded") }
        return ["alert_ns": alert.least, "token_ns": token.least]
    }

    private func machine(_ push: Push) throws -> Double {
        var timer = MicroTimer()
        var exercise = MachineExercise(inFlight: burst, push: push)
        for _ in 0..<bursts {
            let ended = timer.time(burst) { exercise.burst() }
            guard ended == burst else { throw BenchError("\(ended) of \(burst) pushes ended in the machine") }
        }
        return timer.least
    }
}
