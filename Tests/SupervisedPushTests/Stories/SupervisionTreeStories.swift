import Foundation
import ProcessRuntime
import PushSimulator
import TestSupport
import Testing

@testable import SupervisedPush

@Suite("parity: F19 – the supervision tree and its changes", .timeLimit(.minutes(5)))
struct SupervisionTreeStories {
    @Test("parity: F19 – every connection has its parent, and a pool is what its connections add up to")
    func parents() async throws {
        let stage = try Rehearsal.inMemory()
        let bulk = try stage.runtime.connect(name: "bulk", size: 2, config: stage.config)
        let orders = try stage.runtime.connect(name: "orders", config: stage.config)
        for number in 0..<10 { _ = try await bulk.push(Samples.flight, to: Samples.token(number)) }
        for member in bulk.members { try await member.waitUntilUp() }
        try await orders.waitUntilUp()
        await until { bulk.status.counters.accepted >= 10 }
        let tree = stage.runtime.supervisionTree
        let pool = try #require(tree.pools.first)
        #expect(tree.pools.count == 1 && pool.state == "running" && pool.status.name == "bulk")
        #expect(pool.status.pid == stage.runtime.pid(of: "bulk"))
        let members = tree.children(of: pool.id)
        #expect(members.map(\.member) == [1, 2] && members.allSatisfy { $0.status.name == "bulk" })
        #expect(members.reduce(0) { $0 + $1.status.counters.accepted } == pool.status.counters.accepted)
        #expect(tree.children(of: nil).map(\.status.name) == ["orders"] && tree.children.count == 3)
        #expect(tree.children(of: nil).map(\.member) == [nil])
        let lines = tree.description.split(separator: "\n").map(String.init)
        #expect(lines.first == "supervisor, 3 connections, 1 pool" && lines.count == 5)
        #expect(lines[1].hasPrefix("├─ running orders <") && lines[2].hasPrefix("└─ pool running bulk <"))
        #expect(lines[3].hasPrefix("   ├─ running bulk/1 <") && lines[4].hasPrefix("   └─ running bulk/2 <"))
        await stage.end()
    }

    @Test("parity: F19 – a tree that was written as JSON is read as it was")
    func theTreeAsJSON() async throws {
        let stage = try Rehearsal.inMemory()
        let bulk = try stage.runtime.connect(name: "bulk", size: 2, config: stage.config)
        _ = try stage.runtime.connect(config: stage.certificateConfig)
        _ = try await bulk.push(Samples.flight, to: Samples.unregistered(1))
        await until { bulk.status.counters.rejected >= 1 }
        let tree = stage.runtime.supervisionTree
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = try encoder.encode(tree)
        let endless = String(decoding: text, as: UTF8.self).replacing(
            #""generation""#, with: #""rttSeconds":1e300,"generation""#)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(SupervisionTree.self, from: Data(endless.utf8)) }
        let again = try JSONDecoder().decode(SupervisionTree.self, from: text)
        #expect(try encoder.encode(again) == text && again.description == tree.description)
        await stage.end()
    }

    @Test func aPoolKeepsTheCountsOfConnectionsThatHaveEnded() async throws {
        let stage = try Rehearsal.inMemory()
        let bulk = try stage.runtime.connect(name: "bulk", size: 2, config: stage.config)
        for member in bulk.members { try await member.waitUntilUp() }
        for number in 0..<20 { _ = try await bulk.push(Samples.flight, to: Samples.token(number)) }
        await until { bulk.status.counters.accepted >= 20 }
        try bulk.resize(to: 1...1)
        await until { bulk.members.count == 1 }
        #expect(bulk.status.counters.accepted == 20 && bulk.status.counters.dials == 2)
        await stage.end()
    }

    @Test func whatClosesIsShownUntilItHasEnded() async throws {
        let stage = try Rehearsal.inMemory()
        let orders = try stage.runtime.connect(name: "orders", config: stage.patientConfig)
        // The first answer opens the link for more than one push.
        _ = try await orders.push(Samples.flight, to: Samples.token(1))
        stage.apple.holdAnswers()
        let book = OutcomeBook()
        orders.push(Samples.flight, to: Samples.token(), completion: book.completion(0))
        #expect(await stage.apple.ledger.wait { $0.pushes == 2 })
        let closing = Task { await orders.close(within: .seconds(60)) }
        var changes = stage.runtime.supervisionTreeChanges.makeAsyncIterator()
        await until { stage.runtime.supervisionTree.children.first?.state == "closing" }
        stage.apple.releaseAnswers()
        _ = await closing.value
        var last = await changes.next()
        while last?.children.isEmpty == false { last = await changes.next() }
        #expect(last?.children.isEmpty == true && book.summary == ["accepted": 1])
        await stage.end()
    }

    // MARK: Changes

    @Test("parity: F19 – the tree's changes: the state now, then each phase, each restart, and the end")
    func changes() async throws {
        let stage = try Rehearsal.inMemory()
        var changes = stage.runtime.supervisionTreeChanges.makeAsyncIterator()
        #expect(await changes.next()?.children.isEmpty == true)
        try stage.runtime.connect(name: "orders", config: stage.config)
        func next(_ isWanted: (SupervisionTree.Child) -> Bool) async -> SupervisionTree.Child? {
            while let tree = await changes.next() {
                if let child = tree.children.first, isWanted(child) { return child }
            }
            return nil
        }
        let first = try #require(await next { $0.status.phase == .up })
        await stage.apple.cutConnections()
        let cut = await next { $0.status.phase == .down }
        #expect(cut?.status.outage?.attempt == 1)
        stage.runtime.kill(try #require(first.status.pid))
        let restarted = await next {
            $0.status.pid != nil && $0.status.pid != first.status.pid && $0.status.phase == .up
        }
        #expect(restarted?.id == first.id && restarted?.status.counters.restarts == 1)
        await stage.end()
        var last: SupervisionTree?
        while let tree = await changes.next() { last = tree }
        #expect(last?.children.isEmpty == true)
        // One that begins after the end sees the empty tree, and the end.
        var late = stage.runtime.supervisionTreeChanges.makeAsyncIterator()
        #expect(await late.next()?.children.isEmpty == true)
        #expect(await late.next() == nil)
    }

    @Test func aSlowReaderSkipsStatesAndGetsTheNewest() async throws {
        let stage = try Rehearsal.inMemory()
        var changes = stage.runtime.supervisionTreeChanges.makeAsyncIterator()
        for number in 0..<50 {
            let orders = try stage.runtime.connect(name: "orders \(number)", config: stage.config)
            try await orders.waitUntilUp()
        }
        var seen = 0
        while let tree = await changes.next() {
            seen += 1
            if tree.children.count == 50 { break }
        }
        #expect(seen <= 2)
        await stage.end()
    }

    @Test func followingDoesNotKeepTheRuntime() async throws {
        var runtime: PushRuntime? = PushRuntime(.init(logger: nil))
        let changes = try #require(runtime).supervisionTreeChanges
        let reading = Task {
            var count = 0
            for await _ in changes { count += 1 }
            return count
        }
        runtime = nil
        #expect(await reading.value <= 2)
    }

    @Test func aCancelledReaderEndsAndIsForgotten() async throws {
        let signal = TreeSignal()
        let stream = signal.follow()
        let reading = Task { for await _ in stream {} }
        reading.cancel()
        await reading.value
        #expect(signal.followerCount == 0)
        signal.changed()
        signal.finish()
    }
}
