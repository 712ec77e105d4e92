import Foundation
import PushLocking
import PushSimulator
import SupervisedPush

/// Three ways to offer pushes to a connection whose server is down, each on a connection of its own.
struct Outage {
    let pushes: Int

    /// How much resident memory may grow while the server is down, in KiB: 10,000 waiting pushes, 2,000 more tasks.
    private static let growthKiB = 96 << 10
    private static let callers = 12_000

    /// True if all is well.
    func run() async throws -> Bool {
        let (apple, port) = try Self.simulator()
        let runtime = PushRuntime(.init(logger: nil))
        var report = OutageReport()
        // One push over each connection, so that what the first one loads is no growth.
        for name in Self.names {
            try runtime.connect(name: name, config: config(apple, port))
            _ = try await runtime.push(name: name, Self.notification, to: Self.token(0, 0))
        }
        apple.stop()
        for name in Self.names {
            while try runtime.connection(named: name).status.phase == .up {
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        report.say("outage: \(pushes) pushes offered on each of \(Self.names.count) connections, the server is down")

        try await reject(runtime, &report)
        try await wait(runtime, apple, &report)
        await runtime.shutdown(within: .seconds(10))
        apple.stop()
        report.say(report.isWell ? "outage: all as promised" : "outage: FAILED")
        return report.isWell
    }

    static let names = ["reject", "wait"]

    /// A simulator that listens, and its port. Its ports are below those that the system gives to other programs while it is down.
    private static func simulator() throws -> (SimulatedAPNs, Int) {
        while true {
            var configuration = SimulatedAPNs.Configuration()
            configuration.ledger = Ledger.Detail(distinctKeys: 0, records: 100_000)
            configuration.port = .random(in: 20_000..<26_000)
            configuration.managementPort = .random(in: 26_000..<32_000)
            let apple = try SimulatedAPNs(configuration)
            do { return (apple, try apple.start()) } catch { guard error.code == .listen else { throw error } }
        }
    }

    /// Waits until something is so, for two minutes at most.
    private static func settle(until isSo: () throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(120)
        while try !isSo(), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(10)) }
    }

    private func config(_ apple: SimulatedAPNs, _ port: Int) -> PushConnection.Configuration {
        let files = apple.credentials
        return PushConnection.Configuration(
            host: "localhost", port: port,
            credential: .token(key: .pem(files.signingKeyPEM), keyID: files.keyID, teamID: files.teamID),
            trust: .pem(files.authorityPEM), defaults: .init(topic: Topic(files.topic)), timeout: .seconds(20)
        ).with { $0.retry.backoffCeiling = .seconds(1) }
    }

    /// The completion form: what does not fit is refused at once.
    private func reject(_ runtime: PushRuntime, _ report: inout OutageReport) async throws {
        let tally = Locked((refused: 0, others: 0))
        let before = Meter.residentKiB
        let start = ContinuousClock.now
        for number in 0..<pushes {
            runtime.push(
                name: "reject", Self.notification, to: try Self.token(1, number),
                options: PushOptions(timeoutStart: .write)
            ) { outcome in
                tally.withLock { tally in
                    if case .failure(let error) = outcome, error.code == .overloaded, error.certainty == .notSent {
                        tally.refused += 1
                    } else {
                        tally.others += 1
                    }
                }
            }
        }
        let elapsed = ContinuousClock.now - start
        let refused = pushes - min(pushes, 10_000)
        // Completions run on a queue of the connection.
        try await Self.settle { tally.withLock { $0.refused } >= refused }
        report.require(tally.withLock { $0.refused } == refused, "\(refused) refused: \(tally.withLock { $0 })")
        report.require(try runtime.connection(named: "reject").load.waiting == pushes - refused, "10,000 wait")
        report.require(tally.withLock { $0.others } == 0, "nothing else ended")
        report.memory("completion form", Meter.residentKiB - before, Self.growthKiB)
        report.say("  completion form: \(refused) refused at once in \(elapsed), \(pushes - refused) wait")
    }

    /// The async form: callers wait for room, and nothing piles up behind them.
    private func wait(
        _ runtime: PushRuntime, _ apple: SimulatedAPNs, _ report: inout OutageReport
    ) async throws {
        let before = Meter.residentKiB
        let tally = Locked((calls: 0, delivered: 0, failed: 0))
        let (pushes, callers) = (pushes, min(Self.callers, pushes))
        let work = Task {
            await withTaskGroup(of: Void.self) { group in
                for caller in 0..<callers {
                    group.addTask {
                        for number in stride(from: caller, to: pushes, by: callers) {
                            guard let token = try? Self.token(2, number) else { continue }
                            tally.withLock { $0.calls += 1 }
                            do {
                                _ = try await runtime.push(
                                    name: "wait", Self.notification, to: token,
                                    options: PushOptions(timeoutStart: .write))
                                tally.withLock { $0.delivered += 1 }
                            } catch {
                                tally.withLock { $0.failed += 1 }
                            }
                        }
                    }
                }
            }
        }
        let (connection, places) = (try runtime.connection(named: "wait"), min(callers, 10_000))
        try await Self.settle { connection.load.waiting >= places && tally.withLock { $0.calls } >= callers }
        let queued = connection.load.waiting
        report.require(queued == places, "\(places) wait in the queue: \(queued)")
        report.require(tally.withLock { $0.delivered + $0.failed } == 0, "callers wait: \(tally.withLock { $0 })")
        report.memory("async form", Meter.residentKiB - before, Self.growthKiB)
        report.say("  async form: \(queued) pushes wait in the queue, \(callers - queued) callers for room")

        _ = apple.ledger.takeRecords()
        try apple.start()
        let collecting = Task { await Self.collect(apple.ledger) }
        await work.value
        collecting.cancel()
        report.require(tally.withLock { $0.delivered } == pushes, "all delivered: \(tally.withLock { $0 })")
        checkOrder(await collecting.value, &report)
        report.memory("after the recovery", Meter.residentKiB - before, 2 * Self.growthKiB)
        report.say("  the server is back: \(tally.withLock { $0.delivered }) delivered by the callers")
    }

    /// Takes the ledger's records many times a second, so that they stay few: the numbers of the completion form's pushes.
    private static func collect(_ ledger: Ledger) async -> [Int] {
        var numbers: [Int] = []
        while true {
            let isLast = Task.isCancelled
            for record in ledger.takeRecords() where record.deviceToken.hasPrefix("ab01") {
                if let number = Int(record.deviceToken.suffix(15), radix: 16) { numbers.append(number) }
            }
            if isLast { return numbers }
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// What waited at the completion form's connection goes out in call order.
    private func checkOrder(_ numbers: [Int], _ report: inout OutageReport) {
        let expected = Array(0..<min(pushes, 10_000))
        report.require(
            numbers == expected, "the \(expected.count) that waited go out in call order: \(numbers.count) did")
        report.say("  the server is back: the \(numbers.count) that waited went out in call order")
    }

    private static let notification = PushNotification.alert(title: "Flight A998", body: "Boarding at gate 12")

    /// Different for each way and number.
    private static func token(_ way: Int, _ number: Int) throws -> DeviceToken {
        let digits = String(number, radix: 16)
        return try DeviceToken("ab0\(way)" + String(repeating: "0", count: 60 - digits.count) + digits)
    }
}
