import Dispatch
import PushLocking
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// Real sockets, real TLS, real time, on loopback. One after the other, so that figures belong to one test.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LoopbackTests {
    @Test func tenThousandPushesAreEachAnsweredOnce() async throws {
        let stage = try Rehearsal.overLoopback()
        try stage.runtime.connect(name: "orders", config: stage.patientConfig.with { $0.timeout = .seconds(240) })
        let book = OutcomeBook()
        for number in 0..<10_000 {
            stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(number), completion: book.completion(number))
        }
        await book.wait(for: 10_000)
        #expect(book.summary == ["accepted": 10_000] && book.endedOnceEach)
        #expect(stage.apple.ledger.repeatedDeviceTokens == 0)
        await stage.end()
    }

    @Test func aCutUnderLoadLosesNothingAndRepeatsNothing() async throws {
        let stage = try Rehearsal.overLoopback { $0.ledger = .counts }
        stage.apple.delayAnswers(by: .fixed(.milliseconds(5)))
        try stage.runtime.connect(name: "orders", config: stage.patientConfig.with { $0.timeout = .seconds(240) })
        let book = OutcomeBook()
        async let pushing: Void = withTaskGroup(of: Void.self) { group in
            for number in 0..<5_000 {
                group.addTask {
                    do throws(PushError) {
                        let answer = try await stage.runtime.push(
                            name: "orders", Samples.flight, to: Samples.token(number))
                        book.completion(number)(.success(answer))
                    } catch { book.completion(number)(.failure(error)) }
                }
            }
        }
        #expect(await stage.apple.ledger.wait(within: .seconds(120)) { $0.pushes >= 2_500 })
        await stage.apple.cutConnections()
        await pushing
        let summary = book.summary
        #expect(book.count == 5_000 && book.endedOnceEach)
        #expect((summary["accepted"] ?? 0) + (summary["connection_lost unknown"] ?? 0) == 5_000)
        #expect(stage.apple.ledger.repeatedDeviceTokens == 0)
        // Nothing is called accepted that was not; what is unknown may have been.
        #expect(stage.apple.ledger.snapshot.accepted >= summary["accepted"] ?? 0)
        await stage.end()
    }

    @Test("parity: R1 – 64 blocking callers on the global queue all end within their timeouts")
    func blockingCallersCannotStarveTheRuntime() async throws {
        let stage = try Rehearsal.overLoopback()
        let up = try stage.runtime.connect(name: "up", config: stage.patientConfig)
        let down = try stage.runtime.connect(
            name: "down",
            config: stage.config.with {
                $0.port = 1; $0.timeout = .milliseconds(500)
            })
        let (results, continuation) = AsyncStream<String>.makeStream()
        for number in 0..<64 {
            DispatchQueue.global().async {
                let connection = number % 2 == 0 ? up : down
                do throws(PushError) {
                    let answer = try connection.pushBlocking(Samples.flight, to: Samples.token(number))
                    continuation.yield(answer.isAccepted ? "accepted" : "rejected")
                } catch { continuation.yield("\(error.code) \(error.certainty.rawValue)") }
            }
        }
        var summary: [String: Int] = [:]
        for await result in results {
            summary[result, default: 0] += 1
            if summary.values.reduce(0, +) == 64 { break }
        }
        #expect(summary == ["accepted": 32, "timed_out not_sent": 32])
        await stage.end()
    }

    @Test("200 processes run on a handful of threads and leave no descriptor, in a program that does nothing else")
    func hundredsOfConnectionsRunOnAHandfulOfThreadsAndLeaveNoDescriptor() async {
        await #expect(processExitsWith: .success) {
            let stage = try Rehearsal.overLoopback()
            try stage.runtime.connect(name: "first", config: stage.config)
            try await stage.runtime.connection(named: "first").waitUntilUp()
            let descriptors = ownDescriptors()
            // A machine that does much else pushes them in minutes.
            let config = stage.patientConfig.with { $0.timeout = .seconds(240) }
            var connections: [PushConnection] = []
            for _ in 0..<100 { connections.append(try stage.runtime.connect(config: config)) }
            let book = OutcomeBook()
            for number in 0..<10_000 {
                connections[number % 100].push(
                    Samples.flight, to: Samples.token(number), completion: book.completion(number))
            }
            await book.wait(for: 10_000)
            #expect(ownThreads() < 100, "\(ownThreads()) threads")
            #expect(book.summary == ["accepted": 10_000], "\(book.summary)")
            for connection in connections { await connection.close() }
            #expect(await stage.apple.ledger.wait(within: .seconds(120)) { $0.openConnections == 1 }, "all are closed")
            let areClosed = await reaches { ownDescriptors().count <= descriptors.count }
            #expect(areClosed, "\(descriptors), then \(ownDescriptors())")
            await stage.end()
        }
    }

    @Test("parity: P11 – a custom CA; an authority that is not trusted is named by its layer")
    func anUntrustedServerIsNamed() async throws {
        let stage = try Rehearsal.overLoopback()
        let mailbox = Mailbox<LifecycleMessage>()
        let other = try ThrowAwayCredentials()
        let config = stage.config.with { $0.trust = .pem(other.authorityPEM) }
        try stage.runtime.connect(name: "orders", config: config, owner: mailbox)
        let message = await mailbox.receive { if case .reconnecting = $0 { true } else { false } }
        guard case .reconnecting(_, _, 1, _, let cause)? = message else { Issue.record("\(message)"); return }
        #expect(cause.layer == .tls)
        await stage.end()
    }
}
