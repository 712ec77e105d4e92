import PushSimulator
import SupervisedPush
import TestSupport
import Testing

@Suite("parity: E1 – the connection of a name is found, or made", .timeLimit(.minutes(5)))
struct FindOrConnectStories {
    @Test func theFirstCallConnectsAndTheNextOnesFindThatConnection() async throws {
        let stage = try Rehearsal.inMemory()
        let first = try stage.runtime.connection(named: "orders", orConnect: stage.config)
        let answer = try await first.push(Samples.flight, to: Samples.token())
        #expect(answer.isAccepted)
        var wasMade = false
        func make() -> PushConnection.Configuration {
            wasMade = true
            return stage.config
        }
        let second = try stage.runtime.connection(named: "orders", orConnect: make())
        #expect(second.pid == first.pid && !wasMade)
        await stage.end()
    }

    @Test func ofManyThatAskAtTheSameTimeAllGetOneConnection() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.mute()
        for _ in 0..<50 {
            let pids = try await withThrowingTaskGroup(of: ProcessID?.self) { group in
                for _ in 0..<4 {
                    group.addTask { try stage.runtime.connection(named: "orders", orConnect: stage.config).pid }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(pids.count == 1 && !pids.contains(nil), "\(pids)")
            try await stage.runtime.close(name: "orders", within: .zero)
        }
        await stage.end()
    }

    @Test func aConnectionThatClosesIsNotReturnedAndItsNameIsFreeAfterwards() async throws {
        let stage = try Rehearsal.inMemory()
        let orders = try stage.runtime.connect(name: "orders", config: stage.config)
        _ = try await orders.push(Samples.flight, to: Samples.token())
        stage.apple.holdAnswers()
        let book = OutcomeBook()
        orders.push(Samples.flight, to: Samples.token(1), completion: book.completion(1))
        #expect(await stage.apple.ledger.wait { $0.pushes == 2 })
        async let handBack = orders.close(within: .seconds(5))
        await until { (try? orders.send(Samples.flight, to: Samples.token())) == nil }
        let error = #expect(throws: ConnectError.self) {
            try stage.runtime.connection(named: "orders", orConnect: stage.config)
        }
        #expect(error?.code == .nameTaken && error?.holder == orders.pid)
        #expect(error?.description.contains("is closing") == true, "\(error as Any)")
        stage.apple.releaseAnswers()
        _ = await handBack
        let next = try stage.runtime.connection(named: "orders", orConnect: stage.config)
        #expect(try await next.push(Samples.flight, to: Samples.token(2)).isAccepted)
        await stage.end()
    }

    @Test func aPoolOfThatNameIsFound() async throws {
        let stage = try Rehearsal.inMemory()
        let bulk = try stage.runtime.connect(name: "bulk", size: 2, config: stage.config)
        #expect(try stage.runtime.connection(named: "bulk", orConnect: stage.config).pid == bulk.pid)
        await stage.end()
    }

    @Test func whatConnectRefusesIsRefused() async throws {
        let stage = try Rehearsal.inMemory()
        let invalid = #expect(throws: ConnectError.self) {
            try stage.runtime.connection(named: "orders", orConnect: stage.config.with { $0.port = 0 })
        }
        #expect(invalid?.code == .configuration && stage.runtime.names.isEmpty)
        await stage.end()
        let late = #expect(throws: ConnectError.self) {
            try stage.runtime.connection(named: "orders", orConnect: stage.config)
        }
        #expect(late?.code == .shutDown)
    }
}
