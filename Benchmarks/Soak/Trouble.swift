import Dispatch
import ProcessRuntime
import PushLocking
import PushSimulator

/// Seeded trouble: every now and then something goes wrong at the simulator, on one connection or on all.
final class Trouble: Sendable {
    private struct State {
        var generator: SeededGenerator
        var counts: [String: Int] = [:]
        var isOver = false
    }

    private let apple: SimulatedAPNs
    private let state: Locked<State>
    private let queue = DispatchQueue(label: "soak.trouble")

    init(_ apple: SimulatedAPNs, seed: UInt64) {
        self.apple = apple
        state = Locked(State(generator: SeededGenerator(seed: seed)))
    }

    func start() { next() }

    /// No new trouble; what lasts is ended. Returns how often what was done.
    func end() -> [String: Int] {
        let counts = state.withLock { state in
            state.isOver = true
            return state.counts
        }
        queue.sync {
            apple.faults.removeAll()
            apple.acceptConnections()
            apple.delayAnswers(by: nil)
            apple.unmute()
            apple.releaseAnswers()
        }
        return counts
    }

    private func draw(_ range: ClosedRange<Int>) -> Int {
        state.withLock { Int.random(in: range, using: &$0.generator) }
    }

    private func next() {
        queue.asyncAfter(deadline: .now() + .milliseconds(draw(100...1_500))) { [weak self] in
            guard let self, !state.withLock({ $0.isOver }) else { return }
            let name = strike()
            state.withLock { $0.counts[name, default: 0] += 1 }
            next()
        }
    }

    private func after(_ milliseconds: ClosedRange<Int>, _ body: @escaping @Sendable (SimulatedAPNs) -> Void) {
        queue.asyncAfter(deadline: .now() + .milliseconds(draw(milliseconds))) { [apple] in body(apple) }
    }

    private func rule(_ fault: Fault, _ times: ClosedRange<Int>) {
        apple.faults.add(FaultRule(.push, fault, times: draw(times)))
    }

    /// Does one thing; its name.
    private func strike() -> String {
        let connections = apple.connections
        guard !connections.isEmpty else { return "no connection is there" }
        let one = ConnectionSelection.only(connections[draw(0...connections.count - 1)])
        switch draw(0...19) {
        case 0, 1:
            apple.perform(.cut(.reset), on: one)
            return "RST"
        case 2, 3:
            apple.perform(.cut(.finish), on: one)
            return "FIN"
        case 4, 5:
            apple.goAway(GoAway(reason: "Shutdown"), on: one)
            return "GOAWAY"
        case 6:
            apple.goAway(GoAway(isAnnounced: true), on: one)
            return "GOAWAY in two steps"
        case 7:
            apple.goAway(GoAway(ending: .cut(.finish)), on: one)
            return "GOAWAY, then FIN"
        case 8:
            rule(.resetStream(code: 7), 1...200)
            return "RST_STREAM REFUSED_STREAM"
        case 9:
            rule(.resetStream(code: draw(0...1) == 0 ? 2 : 8), 1...50)
            return "RST_STREAM with another code"
        case 10: return refuse()
        case 11:
            rule(.delay(Latency(.zero...(.milliseconds(500)))), 1...2_000)
            return "delayed answers"
        case 12:
            apple.holdAnswers(on: one)
            after(50...2_000) { $0.releaseAnswers(on: one) }
            return "held answers"
        case 13:
            apple.mute(on: one)
            after(50...2_000) { $0.unmute(on: one) }
            return "a mute connection"
        case 14:
            apple.deafen(on: one)
            return "a deaf connection"
        case 15, 16: return changeLimit(one)
        case 17:
            apple.refuseConnections(for: .milliseconds(draw(50...1_000)))
            return "connections refused"
        case 18:
            apple.ignoreConnections(for: .milliseconds(draw(20...300)))
            return "connections ignored"
        default: return strikeAll()
        }
    }

    private func refuse() -> String {
        let reasons = [Refusal.tooManyRequests, .internalServerError, .serviceUnavailable, .unregistered]
        let reason = reasons[draw(0...reasons.count - 1)]
        rule(.refuse(reason), 1...200)
        return "answers with \(reason.rawValue)"
    }

    private func changeLimit(_ one: ConnectionSelection) -> String {
        let limit = [0, 1, 10, 100][draw(0...3)]
        apple.changeSettings(SettingsChange(maxConcurrentStreams: limit), on: one)
        after(50...1_500) { $0.changeSettings(SettingsChange(maxConcurrentStreams: 1_000), on: one) }
        return "the limit lowered"
    }

    private func strikeAll() -> String {
        if draw(0...1) == 0 {
            apple.goAway(GoAway(reason: "Shutdown"))
            return "GOAWAY on all connections"
        }
        apple.perform(.cut(.reset))
        return "RST on all connections"
    }
}
