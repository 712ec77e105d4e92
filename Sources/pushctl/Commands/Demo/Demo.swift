import Locking
import PushSimulator
import SupervisedPush

/// The demo's story: connect by name, push, lose the server in the middle, add up.
final class Demo: Sendable {
    private static let names = ["orders", "offers"]
    /// How long the slow push is waited for: long enough to be seen, short enough not to bore.
    private static let patience = Duration.milliseconds(250)

    /// How long pushes under way are waited for after a signal.
    private static let drain = Seconds(10)

    private let pushes: Int
    private let asJSON: Bool
    private let apple: DemoApple
    private let runtime = PushRuntime()
    private let narrator = DemoNarrator()
    private let window = PushWindow(size: 500, batch: 50)
    private let tally = Locked(Tally())

    init(_ options: DemoOptions) throws(CommandError) {
        pushes = options.pushes
        asJSON = options.json
        apple = try DemoApple(pushes: options.pushes)
    }

    func run() async throws(CommandError) -> ExitStatus {
        let signals = SignalWatcher.forCommand(
            onFirst: { [self] signal in
                window.stop()
                let line = StopNotice.line(signal, underWay: window.taken, drain: Self.drain)
                if let line { StandardError.write(line) }
            },
            onInsisting: { [runtime] in Task { await runtime.shutdown(within: .zero) } })
        let watching = try await connect()
        let isInteresting = pushes >= 10
        if isInteresting { await waitForALateAnswer() }
        let cutting = Task { if isInteresting { await cutUnderLoad() } }
        let made = await push(isInteresting ? pushes - 1 : pushes) + (isInteresting ? 1 : 0)
        // A stopped run may never come to the middle, where the cut waits.
        if signals.first == nil { await cutting.value } else { cutting.cancel() }
        await window.empty(orStopped: true)
        await runtime.shutdown(within: signals.first == nil ? .seconds(1) : Self.drain.duration)
        await window.empty()
        for (mailbox, task) in watching {
            mailbox.close()
            await task.value
        }
        let table = DemoTable(
            pushed: made, tally: tally.withLock { $0 }, server: apple.server.ledger.snapshot,
            doubled: apple.server.ledger.repeatedAPNSIDs, feedback: narrator.feedbackCount, seconds: narrator.seconds)
        apple.server.stop()
        try OutputFile.standardOutput.write(asJSON ? table.json : Array(table.text.utf8))
        if let signal = signals.first { return signal.status }
        return table.addsUp ? .success : .rejectedOrFailed
    }

    // MARK: Scenes

    private func connect() async throws(CommandError) -> [(Mailbox<LifecycleMessage>, Task<Void, Never>)] {
        narrator.tell("apns", "a simulated APNs listens on localhost:\(apple.port), its keys made for this run only")
        let config = apple.config { [narrator] event in narrator.tell(event) }
        var watching: [(Mailbox<LifecycleMessage>, Task<Void, Never>)] = []
        for name in Self.names {
            let mailbox = Mailbox<LifecycleMessage>()
            do { try runtime.connect(name: name, config: config, owner: mailbox) } catch { throw CommandError(error) }
            narrator.tell(name, "connect(name: \"\(name)\") returned; the connection dials by itself")
            let task = Task { [narrator] in
                for await message in mailbox { narrator.tell(name, message) }
            }
            watching.append((mailbox, task))
        }
        for name in Self.names {
            do { try await runtime.waitUntilUp(name: name) } catch {
                throw CommandError(.unavailable, error.description)
            }
        }
        return watching
    }

    /// The server takes a push and keeps its answer until the caller's time is over.
    private func waitForALateAnswer() async {
        let name = Self.names[0]
        do {
            let response = try await runtime.push(
                name: name, Self.notification, to: try Self.token(DemoApple.slowDevice),
                options: PushOptions(timeout: Self.patience))
            tally.withLock { $0.count(response.isAccepted ? .delivered : .rejected) }
        } catch let error as PushError {
            note(error)
            narrator.tell(name, "a push was not answered within 0.25 s: \(error.code), certainty \(error.certainty)")
        } catch {
            tally.withLock { $0.count(.failed, reason: "invalid_input") }
        }
        apple.server.releaseAnswers()
    }

    /// Cuts the server in the middle, with pushes on their way.
    private func cutUnderLoad() async {
        let half = pushes / 2
        guard await apple.server.ledger.wait(within: .seconds(600), until: { $0.pushes >= half }) else { return }
        let open = apple.server.ledger.snapshot
        apple.server.cutConnections()
        let count = Figures.grouped(open.pushes - open.answered)
        narrator.tell("apns", "CUT: both links are reset, about \(count) answers were still to come", .loud)
    }

    /// Pushes from a thread of its own, over both connections in turn; returns how many were made.
    private func push(_ count: Int) async -> Int {
        narrator.tell("demo", "pushing \(Figures.grouped(count)) notifications over both connections", .loud)
        return await OwnThread("pushctl.demo").run { [self] in
            for number in 0..<count {
                guard let token = try? Self.token(DemoApple.device(number)), window.enter() else { return number }
                // Waiting has no timeout, so that the interruption pauses the pushes and does not burn them.
                runtime.push(
                    name: Self.names[number % Self.names.count], Self.notification, to: token,
                    options: PushOptions(timeoutStart: .write)
                ) { [self] in settle($0) }
            }
            return count
        }
    }

    // MARK: Outcomes

    private func settle(_ outcome: Result<PushResponse, PushError>) {
        switch outcome {
        case .success(let response):
            let reason = response.isAccepted ? nil : response.reason?.rawValue ?? "http_\(response.status)"
            tally.withLock { $0.count(response.isAccepted ? .delivered : .rejected, reason: reason) }
        case .failure(let error): note(error)
        }
        window.leave()
    }

    private func note(_ error: PushError) {
        tally.withLock { $0.count(error.certainty == .unknown ? .unknown : .failed, reason: error.code.name) }
    }

    private static let notification = PushNotification.alert(title: "Flight A998", body: "Boarding at gate 12")

    private static func token(_ hex: String) throws(InvalidDeviceToken) -> DeviceToken { try DeviceToken(hex) }
}
