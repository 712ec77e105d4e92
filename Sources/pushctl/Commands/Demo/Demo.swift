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
    /// How many pushes may be without an outcome: what a cut can cost is small beside the whole, and large enough to be seen.
    private let places: Int
    private let batch: Int
    private let window: PushWindow
    /// Hears of each late response; ends when the demo is stopped.
    private let lateResponses = AsyncStream<Void>.makeStream()
    private let tally = Locked(Tally())

    init(_ options: DemoOptions) throws(CommandError) {
        pushes = options.pushes
        asJSON = options.json
        places = min(500, max(5, pushes / 20))
        batch = max(1, places / 10)
        window = PushWindow(size: places, batch: batch)
        apple = try DemoApple(pushes: options.pushes)
    }

    func run() async throws(CommandError) -> ExitStatus {
        let signals = SignalWatcher.forCommand(
            onFirst: { [self] signal in
                window.stop()
                lateResponses.continuation.finish()
                let line = StopNotice.line(signal, underWay: window.taken, drain: Self.drain)
                if let line { StandardError.write(line) }
            },
            onInsisting: { [runtime] in Task { await runtime.shutdown(within: .zero) } })
        let watching = try await connect()
        let made = await pushThroughTheStory(signals)
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
            let task = Task { [narrator, lateResponses] in
                for await message in mailbox {
                    narrator.tell(name, message)
                    if case .lateResponse = message { lateResponses.continuation.yield() }
                }
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

    /// The server takes a push and keeps its answer until the caller's time is over; then it answers after all.
    private func waitForALateAnswer() async {
        let name = Self.names[0]
        var isUnknown = false
        do {
            let response = try await runtime.push(
                name: name, Self.notification, to: try Self.token(DemoApple.slowDevice),
                options: PushOptions(timeout: Self.patience))
            tally.withLock { $0.count(response.isAccepted ? .delivered : .rejected) }
        } catch let error as PushError {
            note(error)
            narrator.tell(name, "a push was not answered within 0.25 s: \(error.code), certainty \(error.certainty)")
            isUnknown = error.certainty == .unknown
        } catch {
            tally.withLock { $0.count(.failed, reason: "invalid_input") }
        }
        apple.server.releaseAnswers()
        // What is unknown has a late response in the end, with an answer or without.
        guard isUnknown else { return }
        var iterator = lateResponses.stream.makeAsyncIterator()
        _ = await iterator.next()
    }

    /// Pushes, and loses the server in the middle; returns how many were made. A few pushes go without a story.
    private func pushThroughTheStory(_ signals: SignalWatcher) async -> Int {
        guard pushes >= 10 else { return await push(0..<pushes) }
        await waitForALateAnswer()
        let (middle, end) = (pushes / 2, pushes - 1)
        narrator.tell("demo", "pushing \(Figures.grouped(end)) notifications over both connections", .loud)
        var made = await push(0..<middle)
        // From here on the server keeps its answers to itself, so that there is something to lose.
        let processed = apple.server.ledger.snapshot.pushes
        apple.server.holdAnswers()
        let cutting = Task { await cut(after: processed + min(places - batch, end - middle)) }
        made += await push(middle..<end)
        if signals.first == nil {
            await cutting.value
        } else {
            // There may never be as many pushes as the cut waits for.
            cutting.cancel()
            apple.server.releaseAnswers()
        }
        return 1 + made
    }

    /// Cuts the server once it has processed this many pushes.
    private func cut(after processed: Int) async {
        let ledger = apple.server.ledger
        guard await ledger.wait(within: .seconds(600), until: { $0.pushes >= processed }) else { return }
        let count = Figures.grouped(ledger.snapshot.pushes - ledger.snapshot.answered)
        apple.server.cutConnections()
        narrator.tell("apns", "CUT: both links are reset, about \(count) answers were still to come", .loud)
        // Answers go out again once none can slip through a link that is about to be cut.
        _ = await ledger.wait(within: .seconds(5)) { $0.openConnections == 0 }
        apple.server.releaseAnswers()
    }

    /// Pushes from a thread of its own, over both connections in turn; returns how many were made.
    private func push(_ numbers: Range<Int>) async -> Int {
        await OwnThread("pushctl.demo").run { [self] in
            for number in numbers {
                guard let token = try? Self.token(apple.device(number)), window.enter() else {
                    return number - numbers.lowerBound
                }
                // Waiting has no timeout, so that the interruption pauses the pushes and does not burn them.
                runtime.push(
                    name: Self.names[number % Self.names.count], Self.notification, to: token,
                    options: PushOptions(timeoutStart: .write)
                ) { [self] in settle($0) }
            }
            return numbers.count
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
