import Dispatch
import Glibc
import PushLocking
import Testing

@testable import PushTransport

@Suite struct ResolverTests {
    private let queue = DispatchQueue(label: "resolver")

    /// Lookups that wait until the test answers them.
    private final class Gate: Sendable {
        let started = Awaited<String>()
        let calls = Locked<[String]>([])
        private let opened = DispatchSemaphore(value: 0)

        func open(_ count: Int = 1) { for _ in 0..<count { opened.signal() } }

        func lookup(_ host: String) -> Resolver.Answer {
            calls.withLock { $0.append(host) }
            started.set(host)
            _ = opened.wait(timeout: .now() + .seconds(120))
            return .success([SocketAddress(literal: "192.0.2.1", port: 0)].compactMap { $0 })
        }
    }

    /// Time that passes when the test says so.
    private final class Patience: Sendable {
        private let blocks = Locked<[@Sendable () -> Void]>([])

        func later(_: DispatchTimeInterval, _ block: @escaping @Sendable () -> Void) {
            blocks.withLock { $0.append(block) }
        }

        /// The time of all lookups that run is over.
        func pass() {
            for block in blocks.withLock({ blocks in
                defer { blocks = [] }; return blocks
            }) { block() }
        }

        var count: Int { blocks.withLock(\.count) }
    }

    private func ends(_ what: Comment, _ condition: () -> Bool) {
        let deadline = DispatchTime.now() + .seconds(120)
        while !condition(), DispatchTime.now() < deadline { sched_yield() }
        #expect(condition(), what)
    }

    /// Hosts that begin with `silent` hang until the gate opens; all others answer at once.
    private func resolver(_ gate: Gate, _ patience: Patience) -> Resolver {
        Resolver(
            lookup: { host in
                if host.hasPrefix("silent") { return gate.lookup(host) }
                return .success([SocketAddress(literal: "192.0.2.7", port: 0)].compactMap { $0 })
            }, later: patience.later)
    }

    @Test func namesWithASilentServerDelayOthersForASecond() {
        let (gate, patience) = (Gate(), Patience())
        let resolver = resolver(gate, patience)
        let answers = Awaited<String>()
        var lookups = ["silent1", "silent2", "healthy"].map { host in
            resolver.resolve(host, on: queue) { _ in answers.set(host) }
        }
        _ = gate.started.value()
        _ = gate.started.value()
        #expect(resolver.threads == 2 && answers.count == 0)
        ends("both are watched") { patience.count == 2 }
        patience.pass()
        #expect(answers.value() == "healthy")
        // And the next one, although they hang still, at once.
        lookups.append(resolver.resolve("another", on: queue) { _ in answers.set("another") })
        #expect(answers.value() == "another")
        gate.open(2)
        #expect(Set([answers.value(), answers.value()]) == ["silent1", "silent2"])
        ends("no thread when idle") { resolver.threads == 0 }
        #expect(lookups.count == 4)
    }

    @Test func namesThatWereSlowGoBehindAllOthersUntilTheyAnswerInTime() {
        let (gate, patience) = (Gate(), Patience())
        let resolver = resolver(gate, patience)
        let answers = Awaited<String>()
        var lookups: [any Cancellable] = []
        func ask(_ host: String) { lookups.append(resolver.resolve(host, on: queue) { _ in answers.set(host) }) }
        let silent = (0..<40).map { "silent\($0)" }
        silent.forEach(ask)
        // Each that takes long makes room for another, up to sixteen.
        for count in [2, 4, 6, 8, 10, 12, 14, 16, 16] {
            ends("\(count) threads") { resolver.threads == count && gate.calls.withLock { $0.count } == count }
            ends("all are watched") { patience.count > 0 || count == 16 }
            ends("the newest are watched") { patience.count == min(2, count) || count == 16 }
            patience.pass()
        }
        gate.open(40)
        for _ in silent { _ = answers.value() }
        ends("no thread when idle") { resolver.threads == 0 }
        // Sixteen are known to be slow: asked for again they leave two places, and no time has to pass.
        let known = Array(gate.calls.withLock { $0.prefix(16) })
        known.forEach(ask)
        ends("fourteen threads") { gate.calls.withLock { $0.count } == 40 + 14 }
        ask("healthy")
        #expect(answers.value() == "healthy")
        gate.open(16)
        for _ in known { _ = answers.value() }
        ends("no thread when idle") { resolver.threads == 0 }
        // They answered in time.
        var line = LookupLine()
        line.join("a")
        let first = line.begin()
        if let first { line.isSlow(first.1) }
        if let first { line.ended(first.1) }
        for host in ["a", "b", "c"] { line.join(host) }
        #expect(line.begin()?.host == "b")
        #expect(line.begin()?.host == "c")
        let again = line.begin()
        #expect(again?.host == "a")
        if let again { line.ended(again.1) }
        line.join("a")
        #expect(line.begin() == nil)
    }

    @Test(arguments: ["127.0.0.1", "::1", "localhost", "2001:db8::1"])
    func literalsAndLocalhostNeedNoThread(host: String) throws {
        let resolver = Resolver { _ in
            Issue.record("looked up")
            return .success([])
        }
        let answer = Awaited<String>()
        let lookup = resolver.resolve(host, on: queue) { answer.set((try? $0.get().first?.description) ?? "none") }
        #expect(answer.value() == (host == "localhost" ? "127.0.0.1" : host))
        #expect(resolver.threads == 0)
        lookup.cancel()
    }

    @Test func callersOfOneHostShareALookup() {
        let gate = Gate()
        let resolver = Resolver { gate.lookup($0) }
        let answers = Awaited<Int>()
        var lookups: [any Cancellable] = []
        for round in 0..<5 { lookups.append(resolver.resolve("a.example", on: queue) { _ in answers.set(round) }) }
        _ = gate.started.value()
        gate.open()
        for round in 0..<5 { #expect(answers.value() == round) }
        #expect(gate.calls.withLock { $0 } == ["a.example"])
    }

    @Test func twoThreadsAtMostAndNoneWhenIdle() {
        let gate = Gate()
        let resolver = Resolver(lookup: gate.lookup, later: { _, _ in })
        let answers = Awaited<Int>()
        var lookups: [any Cancellable] = []
        for round in 0..<6 { lookups.append(resolver.resolve("\(round).example", on: queue) { _ in answers.set(1) }) }
        _ = gate.started.value()
        _ = gate.started.value()
        #expect(resolver.threads == 2)
        #expect(gate.calls.withLock { $0.count } == 2)
        gate.open(6)
        for _ in 0..<6 { #expect(answers.value() == 1) }
        let deadline = DispatchTime.now() + .seconds(120)
        while resolver.threads > 0, DispatchTime.now() < deadline { sched_yield() }
        #expect(resolver.threads == 0)
    }

    @Test func aCancelledCallerHearsNothingAndAWaitingHostIsSkipped() {
        let gate = Gate()
        let resolver = Resolver(lookup: gate.lookup, later: { _, _ in })
        let answers = Awaited<String>()
        let kept = ["a.example", "b.example"].map { host in resolver.resolve(host, on: queue) { _ in answers.set(host) }
        }
        _ = gate.started.value()
        _ = gate.started.value()
        let joined = resolver.resolve("a.example", on: queue) { _ in answers.set("joined") }
        let waiting = resolver.resolve("c.example", on: queue) { _ in answers.set("waiting") }
        joined.cancel()
        waiting.cancel()
        gate.open(3)
        #expect(Set([answers.value(), answers.value()]) == ["a.example", "b.example"])
        let deadline = DispatchTime.now() + .seconds(120)
        while resolver.threads > 0, DispatchTime.now() < deadline { sched_yield() }
        queue.sync {}
        #expect(answers.count == 0)
        #expect(gate.calls.withLock { $0.contains("c.example") } == false)
        #expect(kept.count == 2)
    }

    @Test func anUnknownNameIsAnError() {
        let error = Awaited<TransportError?>()
        let attempt = SocketConnector().connect(to: Endpoint(host: "no-such-host.invalid", port: 443), on: queue) {
            if case .failure(let failure) = $0 { error.set(failure) } else { error.set(nil) }
        }
        let failure = error.value()
        #expect(failure??.layer == .resolve)
        #expect(failure??.sentence.contains("no-such-host.invalid") == true)
        attempt.cancel()
    }
}
