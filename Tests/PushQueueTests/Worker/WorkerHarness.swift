import Foundation
import ProcessRuntime

@testable import PushQueue

/// A machine and its clock.
struct WorkerHarness {
    typealias Action = WorkerMachine.Action
    typealias Event = WorkerMachine.Event

    static let me = WorkerID("me")
    var machine: WorkerMachine
    /// What it told: not among the actions that its functions return.
    var news: [WorkerMachine.News] = []
    var now = MonotonicInstant(nanoseconds: 0)

    /// A machine that has its first heartbeat acknowledged, and room; its first call is under way.
    init(room: Int = 1_000, rate: QueueRate? = nil) {
        machine = WorkerMachine(Self.me, rate: rate)
        _ = feed(.opened)
        _ = feed(.beaten([Self.me: 1]))
        if room > 0 { _ = feed(.room(room)) }
    }

    /// A machine that has done nothing.
    static var new: WorkerHarness {
        var harness = WorkerHarness(room: 0)
        harness.machine = WorkerMachine(me)
        return harness
    }

    /// Whether the queue is empty: takes and looks for lost replies bring nothing, and are not shown.
    var isQuiet = false

    mutating func feed(_ event: Event) -> [Action] {
        var actions = machine.handle(event, now)
        while isQuiet, let call = machine.call, call == .take || call == .recover {
            actions.removeLast()
            actions += machine.handle(call == .take ? .took([]) : .recovered([]), now)
        }
        return actions.filter { action in
            guard case .tell(let news) = action else { return !isQuiet || action != .wait(upTo: .seconds(5)) }
            self.news.append(news)
            return false
        }
    }

    /// The only entries in the queue are taken.
    mutating func take(_ entries: WorkerMachine.Facts...) -> [Action] {
        isQuiet = true
        return feed(.took(entries))
    }

    mutating func advance(by time: Duration) -> [Action] {
        now = now.advanced(by: time)
        return feed(.tick)
    }

    /// The pushes to these tokens end.
    mutating func end(_ key: String, _ tokens: some Sequence<Int>, _ ending: WorkerMachine.Ending = .told) -> [Action] {
        feed(.ended(tokens.map { WorkerMachine.Ended(TakenEntry.Key(key), index: $0, ending: ending) }))
    }

    /// The heartbeat that is under way is acknowledged.
    mutating func acknowledge(_ others: [WorkerID: UInt64] = [:]) -> [Action] { feed(.beaten(others)) }

    func after(_ time: Duration) -> MonotonicInstant { MonotonicInstant(nanoseconds: 0).advanced(by: time) }
}

extension WorkerMachine.Facts {
    /// An entry with this number of tokens.
    static func sample(
        _ key: String, _ count: Int, neverRepeats: Bool = false, deadline: MonotonicInstant? = nil, offered: Int = 0,
        settled: TokenSet = TokenSet(), doubts: Int = 0, retries: Int = 0, campaign: String? = nil,
        hold: QueueCampaign.Hold? = nil
    ) -> Self {
        Self(
            key: TakenEntry.Key(key), id: EntryID(high: 1, low: UInt64(key.utf8.first ?? 0)), count: count,
            neverRepeats: neverRepeats,
            deadline: deadline, offered: offered, settled: settled, doubts: doubts, retries: retries,
            campaign: campaign.flatMap { try? CampaignName($0) }, hold: hold)
    }
}

extension WorkerMachine.Action {
    static func settle(_ key: String, _ tokens: [Int], _ fate: WorkerMachine.Fate) -> Self {
        .settle([.of(key, tokens, .told, fate)])
    }

    static func push(_ key: String, _ tokens: Range<Int>, by end: MonotonicInstant) -> Self {
        .push(TakenEntry.Key(key), Array(tokens), by: end)
    }

    static func forget(_ key: String) -> Self { .forget(TakenEntry.Key(key)) }
    static func release(_ key: String) -> Self { .release([TakenEntry.Key(key)]) }
    static func offer(_ key: String, _ end: Int) -> Self { .offer([TakenEntry.Key(key): end]) }
}

extension WorkerMachine.Part {
    static func of(
        _ key: String, _ tokens: [Int], _ kind: WorkerMachine.Row.Kind, _ fate: WorkerMachine.Fate
    ) -> Self {
        Self(key: TakenEntry.Key(key), rows: tokens.map { WorkerMachine.Row($0, kind) }, fate: fate)
    }
}
