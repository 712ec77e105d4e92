import PushLocking
import PushSimulator
import PushTerminal
import SupervisedPush

/// The story of the demo: connect by name, push, lose the server in the middle, add up.
package final class Demo: Sendable {
    private static let names = ["orders", "offers"]
    /// How long to wait for the answer to the slow push: long enough to be noticed, short enough not to bore.
    private static let patience = Duration.milliseconds(250)

    /// How long to wait for pushes under way after a signal.
    private static let drain = Duration.seconds(10)

    private let pushes: Int
    private let asJSON: Bool
    private let apple: DemoApple
    private let runtime = PushRuntime(.init(logger: nil))
    private let narrator = DemoNarrator()
    /// How many pushes may be without an outcome: what a cut can cost is small compared with the whole, and large
    /// enough to be noticed.
    private let places: Int
    private let running = Locked(Running())
    /// Receives each late response; ends when the demo is stopped.
    private let lateResponses = AsyncStream<Void>.makeStream()
    private let tally = Locked(DemoTally())

    private struct Running {
        var bulks: [BulkPush] = []
        /// A signal came: nothing more is pushed.
        var isStopped = false
    }

    package init(_ options: DemoOptions) throws(CommandError) {
        pushes = options.pushes
        asJSON = options.json
        places = min(500, max(5, pushes / 20))
        apple = try DemoApple(pushes: options.pushes)
    }

    package func run() async throws(CommandError) -> ExitStatus {
        let signals = SignalWatcher.forCommand(
            onFirst: { [self] signal in
                let line = StopNotice.line(signal, underWay: underWay, drain: Self.drain)
                stop(within: Self.drain)
                lateResponses.continuation.finish()
                // Pushes under way may wait for an answer that the story holds back.
                apple.server.releaseAnswers()
                if let line { StandardError.write(line) }
            },
            onInsisting: { [self] in
                stop(within: .zero)
                Task { await runtime.shutdown(within: .zero) }
            })
        let watching = try await connect()
        let made = await pushThroughTheStory(signals)
        await runtime.shutdown(within: .seconds(1))
        for (mailbox, task) in watching {
            mailbox.close()
            await task.value
        }
        let table = DemoTable(
            pushed: made, tally: tally.withLock { $0 }, server: apple.server.ledger.snapshot,
            doubled: apple.server.ledger.repeatedAPNSIDs, feedback: narrator.feedbackCount, seconds: narrator.seconds)
        apple.server.stop()
        try OutputFile.standardOutput.write(asJSON ? table.json : Array(table.text(.standardOutput).utf8))
        if let signal = signals.first { return signal.status }
        return table.addsUp ? .success : .rejectedOrFailed
    }

    // MARK: Scenes

    private func connect() async throws(CommandError) -> [(Mailbox<LifecycleMessage>, Task<Void, Never>)] {
        narrator.say("apns", "a simulated APNs listens on localhost:\(apple.port), its keys made for this run only")
        let config = apple.config { [narrator] event in narrator.say(event) }
        var watching: [(Mailbox<LifecycleMessage>, Task<Void, Never>)] = []
        for name in Self.names {
            let mailbox = Mailbox<LifecycleMessage>()
            do { try runtime.connect(name: name, config: config, owner: mailbox) } catch {
                throw CommandError(.configuration, error.description)
            }
            narrator.say(name, "connect(name: \"\(name)\") returned; the connection dials on its own")
            let task = Task { [narrator, lateResponses] in
                for await message in mailbox {
                    narrator.say(name, message)
                    if case .lateResponse = message { lateResponses.continuation.yield() }
                }
            }
            watching.append((mailbox, task))
        }
        for name in Self.names {
            do { try await runtime.connection(named: name).waitUntilUp() } catch {
                throw CommandError(.unavailable, "\(error)")
            }
        }
        return watching
    }

    /// The server holds back the answer to a push until the caller's time is over, then answers.
    private func waitForALateAnswer() async {
        let name = Self.names[0]
        guard let device = try? DeviceToken(DemoApple.slowDevice) else { return }
        var isUnknown = false
        do {
            let response = try await runtime.push(
                name: name, Self.notification, to: device,
                options: PushOptions(timeout: Self.patience, timeoutStart: .write))
            tally.withLock { $0.count(PushOutcome(.success(response))) }
        } catch {
            tally.withLock { $0.count(PushOutcome(.failure(error))) }
            narrator.say(name, "a push was not answered within 0.25 s: \(error.code), certainty \(error.certainty)")
            isUnknown = error.certainty == .unknown
        }
        apple.server.releaseAnswers()
        // A push that is unknown always gets a late response, with an answer or without.
        guard isUnknown else { return }
        var iterator = lateResponses.stream.makeAsyncIterator()
        _ = await iterator.next()
    }

    /// Pushes, and loses the server in the middle. Returns how many pushes were made. Too few pushes are sent without
    /// the story.
    private func pushThroughTheStory(_ signals: SignalWatcher) async -> Int {
        guard pushes >= 10 else { return await push(0..<pushes) }
        await waitForALateAnswer()
        let (middle, end) = (pushes / 2, pushes - 1)
        narrator.say("demo", "pushing \(Figures.grouped(end)) notifications over both connections", in: .loud)
        var made = await push(0..<middle)
        // From here on the server holds back its answers, so that some can be lost.
        let processed = apple.server.ledger.snapshot.pushes
        apple.server.holdAnswers()
        let cutting = Task { await cut(after: processed + min(places * 9 / 10, end - middle)) }
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
        await apple.server.cutConnections()
        narrator.say("apns", "CUT: both links are reset, about \(count) answers were still to come", in: .loud)
        // Answers go out again once none can pass through a link that is about to be cut.
        _ = await ledger.wait(within: .seconds(5)) { $0.openConnections == 0 }
        apple.server.releaseAnswers()
    }

    /// Pushes over both connections in turn; returns how many pushes were made.
    private func push(_ numbers: Range<Int>) async -> Int {
        await withTaskGroup(of: Int.self) { group in
            for (index, name) in Self.names.enumerated() {
                guard let connection = try? runtime.connection(named: name) else { continue }
                let own = stride(from: numbers.lowerBound + index, to: numbers.upperBound, by: Self.names.count)
                group.addTask { await self.push(DemoDevices(numbers: own, apple: self.apple), over: connection) }
            }
            return await group.reduce(0, +)
        }
    }

    private func push(_ devices: DemoDevices, over connection: PushConnection) async -> Int {
        let options = BulkOptions(window: places / Self.names.count)
        let bulk = connection.bulk(Self.notification, to: devices, options: options)
        let isStopped = running.withLock { running in
            running.bulks.append(bulk)
            return running.isStopped
        }
        if isStopped { bulk.stop(within: .zero) }
        var made = 0
        do {
            for try await outcome in bulk {
                tally.withLock { $0.count(outcome.outcome) }
                made += 1
            }
        } catch { narrator.say(connection.name ?? "", "\(error)", in: .bad) }
        return made
    }

    private func stop(within time: Duration) {
        let bulks = running.withLock { running in
            running.isStopped = true
            return running.bulks
        }
        for bulk in bulks { bulk.stop(within: time) }
    }

    /// How many pushes have no outcome.
    private var underWay: Int {
        let loads = Self.names.compactMap { try? runtime.connection(named: $0).load }
        return loads.reduce(0) { $0 + $1.inFlight + $1.waiting }
    }

    private static let notification = PushNotification.alert(title: "Flight A998", body: "Boarding at gate 12")
}

/// Devices of the simulated APNs, made as they are read.
private struct DemoDevices: Sequence, Sendable {
    let numbers: StrideTo<Int>
    let apple: DemoApple

    func makeIterator() -> AnyIterator<DeviceToken> {
        var numbers = numbers.makeIterator()
        return AnyIterator { numbers.next().flatMap { try? DeviceToken(apple.device($0)) } }
    }
}
