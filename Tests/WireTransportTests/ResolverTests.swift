import Dispatch
import Glibc
import Locking
import Testing

@testable import WireTransport

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
            _ = opened.wait(timeout: .now() + .seconds(20))
            return .success([SocketAddress(literal: "192.0.2.1", port: 0)].compactMap { $0 })
        }
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
        let resolver = Resolver { gate.lookup($0) }
        let answers = Awaited<Int>()
        var lookups: [any Cancellable] = []
        for round in 0..<6 { lookups.append(resolver.resolve("\(round).example", on: queue) { _ in answers.set(1) }) }
        _ = gate.started.value()
        _ = gate.started.value()
        #expect(resolver.threads == 2)
        #expect(gate.calls.withLock { $0.count } == 2)
        gate.open(6)
        for _ in 0..<6 { #expect(answers.value() == 1) }
        let deadline = DispatchTime.now() + .seconds(20)
        while resolver.threads > 0, DispatchTime.now() < deadline { sched_yield() }
        #expect(resolver.threads == 0)
    }

    @Test func aCancelledCallerHearsNothingAndAWaitingHostIsSkipped() {
        let gate = Gate()
        let resolver = Resolver { gate.lookup($0) }
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
        let deadline = DispatchTime.now() + .seconds(20)
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
