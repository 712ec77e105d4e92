import Foundation
import ProcessRuntime
import SupervisedPush

@testable import PushQueue

/// Some workers, a store that loses, repeats and delays, links that go up and down, deaths and pauses; and what APNs
/// saw of it.
struct RandomWorkerLife {
    var store = MemoryEntries(maxEntries: 1_000, maxOutcomes: 100_000)
    private(set) var workers: [RandomWorker] = []
    var chance: SeededGenerator
    private(set) var now = MonotonicInstant(nanoseconds: 0)
    private(set) var entries: [EntryID: QueueEntry] = [:]
    /// Entries that were in the queue when it was emptied from outside.
    private(set) var flushed: Set<EntryID> = []
    private let mayFlush: Bool
    /// Whether entries belong to campaigns, which are paused, go on and are cancelled.
    let hasCampaigns: Bool
    private let rate: QueueRate?
    private var born = 0
    var problems: [String] = []
    /// How often something happened, so that a test can see that it did.
    var counts: [String: Int] = [:]

    /// The last attempt of each token: who wrote it, and whether APNs asked to get it later.
    var attempts: [RandomToken: (worker: WorkerID, postponedTo: Date?)] = [:]
    /// An entry that ends workers which push it.
    private var poison: EntryID?
    /// While true, calls fail, workers die and links break.
    private var isRough = true

    init(seed: UInt64, entryCount: Int = 8, hasCampaigns: Bool = false) throws {
        self.hasCampaigns = hasCampaigns
        chance = SeededGenerator(seed: seed)
        mayFlush = seed.isMultiple(of: 4)
        rate = seed.isMultiple(of: 3) ? QueueRate(perSecond: 200, burst: 100) : nil
        for _ in 0..<entryCount { try addEntry() }
        for _ in 0..<3 { addWorker() }
        poison = roll(3) ? entries.keys.min { $0.low < $1.low } : nil
    }

    private func hasWrittenPoison(_ place: Int) -> Bool {
        guard let poison else { return false }
        return workers[place].flights.contains { $0.isWritten && $0.token.entry == poison }
    }

    var wall: Date {
        Date(timeIntervalSince1970: 1_000_000 + Double(now.nanoseconds) / 1_000_000_000)
    }

    mutating func roll(_ sides: Int) -> Bool { Int.random(in: 0..<sides, using: &chance) == 0 }
    mutating func rough(_ sides: Int) -> Bool { isRough && roll(sides) }

    private mutating func addEntry() throws {
        let sizes = [1...5, 1...5, 1...5, 200...256, 257...700]
        let size = Int.random(in: sizes.randomElement(using: &chance) ?? 1...1, using: &chance)
        let token = try DeviceToken(String(repeating: "ab", count: 32))
        var deadline: Date?
        if roll(8) { deadline = wall.addingTimeInterval(Double.random(in: 0..<60, using: &chance)) }
        let entry = try QueueEntry(
            .alert(title: "Flight A998", body: "Boarding"), to: Array(repeating: token, count: size),
            id: EntryID(using: &chance), notBefore: roll(6) ? wall.addingTimeInterval(10) : nil, deadline: deadline,
            neverRepeats: roll(3))
        entries[entry.id] = entry
        try put(entry)
    }

    private mutating func addWorker() {
        born += 1
        workers.append(RandomWorker(WorkerID("w\(born)"), rate))
        feed(workers.count - 1, .opened)
        feed(workers.count - 1, .room(newRoom()))
    }

    private mutating func newRoom() -> Int { [1, 20, 300, 1_000].randomElement(using: &chance) ?? 1 }

    // MARK: Time passes

    /// Anything may happen.
    mutating func live(steps: Int) {
        for _ in 0..<steps { step() }
    }

    /// Nothing breaks any more, until all is done.
    ///
    /// - Returns: Whether all was done.
    mutating func finish(maxSteps: Int = 20_000) -> Bool {
        isRough = false
        resumeCampaigns()
        for place in workers.indices where workers[place].room == 0 { setRoom(place, 300) }
        for _ in 0..<maxSteps {
            if store.stored.values.allSatisfy({ if case .dead = $0.place { true } else { false } }) { return true }
            if workers.isEmpty { addWorker() }
            step()
        }
        return false
    }

    private mutating func step() {
        now = now.advanced(by: .milliseconds(roll(10) ? Int.random(in: 0..<2_000, using: &chance) : 7))
        if workers.count < 3, roll(20) { addWorker() }
        if mayFlush, rough(1_000) { flush() }
        if hasCampaigns, rough(100) { steerCampaign() }
        for place in workers.indices.reversed() where runs(place) {
            if let wake = workers[place].machine.nextWake, wake <= now { feed(place, .tick) }
            if workers[place].isFinished {
                leave(place)
            } else if rough(600) || (hasWrittenPoison(place) && roll(2)) {
                die(place)
            } else {
                act(place)
            }
        }
    }

    private mutating func runs(_ place: Int) -> Bool {
        guard let end = workers[place].pausedUntil else { return true }
        if end <= now { workers[place].pausedUntil = nil }
        return end <= now
    }

    private mutating func act(_ place: Int) {
        if rough(400) {
            workers[place].pausedUntil = now.advanced(by: .seconds(Int.random(in: 1..<30, using: &chance)))
            counts["pause", default: 0] += 1
            return
        }
        if rough(400) {
            workers[place].cutOffUntil = now.advanced(by: .seconds(Int.random(in: 5..<30, using: &chance)))
            counts["cut off", default: 0] += 1
            if roll(2) {
                workers[place].silentUntil = now.advanced(by: .seconds(Int.random(in: 20...60, using: &chance)))
            }
        }
        if rough(500), !workers[place].isStopping {
            workers[place].isStopping = true
            feed(place, .stop(within: .milliseconds(Int.random(in: 0..<3_000, using: &chance))))
        }
        if rough(60) { setRoom(place, roll(2) ? 0 : newRoom()) }
        if workers[place].room == 0, roll(isRough ? 40 : 1) { setRoom(place, newRoom()) }
        if workers[place].isWaiting, roll(4) {
            workers[place].isWaiting = false
            feed(place, rough(5) ? .waitFailed : .waited)
        }
        if hasCampaigns, roll(10), workers[place].cutOffUntil.map({ now >= $0 }) ?? true {
            feed(place, .held(store.holds(of: workers[place].machine.campaigns)))
        }
        if !roll(3) { advanceCall(place) }
        if !roll(3) { advanceBeat(place) }
        if !roll(3) { write(place) }
        if !roll(3) { answer(place) }
    }

    /// The queue is emptied from outside, as FLUSHALL does it. Each worker hears of it once.
    private mutating func flush() {
        counts["flush", default: 0] += 1
        flushed = Set(entries.keys)
        store.removeAll()
        for place in workers.indices { workers[place].findsLoss = true }
        for _ in 0..<3 { do { try addEntry() } catch { problems.append("\(error)") } }
    }

    private mutating func setRoom(_ place: Int, _ room: Int) {
        workers[place].room = room
        feed(place, .room(room))
    }

    /// The process ends without a word. Its last call may still reach the store.
    private mutating func die(_ place: Int) {
        counts["death", default: 0] += 1
        if let call = workers[place].call, roll(2) { _ = execute(call, as: workers[place].id) }
        workers.remove(at: place)
    }

    private mutating func leave(_ place: Int) {
        counts["stop", default: 0] += 1
        let worker = workers[place]
        if worker.machine.entries.isEmpty, !worker.machine.needsRecovery, !worker.hasStray,
            store.status(wall).workers[worker.id]?.taken ?? 0 > 0
        {
            problems.append("\(worker.id) left something behind")
        }
        workers.remove(at: place)
    }

    // MARK: The store

    /// The call reaches the store, or its answer reaches the worker, or it is lost.
    private mutating func advanceCall(_ place: Int) {
        guard let call = workers[place].call else {
            guard let answer = workers[place].answer else { return }
            workers[place].answer = nil
            return feed(place, answer)
        }
        workers[place].call = nil
        if let code = failure(place) { return feed(place, .failed(code)) }
        if case .release(let keys) = call { for key in keys { checkRelease(key, place) } }
        var answer = execute(call, as: workers[place].id)
        if rough(8) {
            answer = execute(call, as: workers[place].id)
            workers[place].hasStray = true
        }
        workers[place].answer = rough(8) ? .failed(.unreachable) : answer
    }

    /// The heartbeat reaches the store, or its answer reaches the worker, or it is lost.
    private mutating func advanceBeat(_ place: Int) {
        guard workers[place].beats else {
            guard let answer = workers[place].beatAnswer else { return }
            workers[place].beatAnswer = nil
            return feed(place, answer)
        }
        workers[place].beats = false
        if failure(place) != nil { return feed(place, .beatFailed) }
        let answer = execute(.beat, as: workers[place].id)
        workers[place].beatAnswer = rough(8) ? .beatFailed : answer
    }

    /// Why a call does not reach the store, if it does not.
    private mutating func failure(_ place: Int) -> QueueError.Code? {
        if rough(8) || workers[place].cutOffUntil.map({ now < $0 }) ?? false { return .unreachable }
        defer { workers[place].findsLoss = false }
        return workers[place].findsLoss ? .lost : nil
    }

    private mutating func execute(_ call: WorkerMachine.Action, as worker: WorkerID) -> WorkerMachine.Event? {
        switch call {
        case .take(let tokens): return .took(facts(store.take(as: worker, tokens: tokens, wall)))
        case .permit(let tokens, let rate):
            let permit = store.permit(tokens, rate, wall)
            if permit.tokens == 0 { counts["refused", default: 0] += 1 }
            return .permitted(permit)
        case .recover(let known): return .recovered(facts(store.recover(as: worker, besides: known)))
        case .reclaim(let dead, let counter, let limit):
            return .reclaimed(facts(store.reclaim(from: dead, at: counter, as: worker, limit: limit)))
        case .offer(let ends):
            do { try store.offer(as: worker, ends) } catch { return .failed(error.code) }
            return .offered
        case .settle(let parts):
            store.settle(as: worker, parts.compactMap(settlement), at: .distantPast)
            return .settled
        case .release(let keys):
            store.release(as: worker, keys)
            return .released
        case .beat: return .beaten(store.beat(as: worker, wall))
        case .leave:
            store.leave(as: worker)
            return .left
        case .wait, .push, .withdraw, .forget, .tell, .finished: return nil
        }
    }

    private func facts(_ list: [TakenEntry]) -> [WorkerMachine.Facts] { list.map { .init($0, now, wall: wall) } }

    private func settlement(_ part: WorkerMachine.Part) -> Settlement? {
        guard let number = UInt64(part.key.description), let entry = try? store.stored[number]?.entry.get() else {
            return nil
        }
        let fate: Settlement.Fate =
            switch part.fate {
            case .open: .open
            case .done: .done
            case .again(let date, let retries): .again(notBefore: date, retries: retries)
            case .dead, .unreadable: .dead("dead")
            case .cancelled: .cancelled
            }
        return Settlement(
            part.key,
            rows: part.rows.map { row in
                QueueOutcome(
                    entry: entry.id, index: row.index, token: entry.tokens[row.index],
                    PushOutcome(.delivered, reason: "\(row.kind)"))
            }, fate: fate, campaign: entry.campaign)
    }

    // MARK: The links

    private mutating func write(_ place: Int) {
        var (kept, back): ([RandomWorker.Flight], [WorkerMachine.Ended]) = ([], [])
        let mayWrite = workers[place].room > 0
        let some = !roll(4)
        for var flight in workers[place].flights {
            if !flight.isWritten, flight.end <= now || rough(200) {
                back.append(WorkerMachine.Ended(flight.key, index: flight.token.index, ending: .unsent))
                continue
            }
            if !flight.isWritten, mayWrite, some || roll(3) {
                flight.isWritten = true
                if let end = workers[place].silentUntil, now < end, !roll(3) {
                    flight.heldUntil = end
                    counts["held", default: 0] += 1
                }
                workers[place].touched.insert(flight.key)
                if !flushed.contains(flight.token.entry) { wrote(flight, workers[place]) }
            }
            kept.append(flight)
        }
        workers[place].flights = kept
        if !back.isEmpty { feed(place, .ended(back)) }
    }

    private mutating func answer(_ place: Int) {
        var (kept, ended): ([RandomWorker.Flight], [WorkerMachine.Ended]) = ([], [])
        let isSlow = roll(3)
        for flight in workers[place].flights {
            guard flight.isWritten, flight.heldUntil.map({ $0 <= now }) ?? true, !isSlow || roll(5) else {
                kept.append(flight)
                continue
            }
            let isPostponed = rough(100)
            let date = wall.addingTimeInterval(5)
            if isPostponed { attempts[flight.token]?.postponedTo = date }
            let ending: WorkerMachine.Ending = isPostponed ? .later(date) : .told
            ended.append(WorkerMachine.Ended(flight.key, index: flight.token.index, ending: ending))
        }
        workers[place].flights = kept
        if !ended.isEmpty { feed(place, .ended(ended)) }
    }

    // MARK: The machine

    private mutating func feed(_ place: Int, _ event: WorkerMachine.Event) {
        switch event {
        case .took(let list), .recovered(let list), .reclaimed(let list):
            for facts in list {
                workers[place].got[facts.key] = facts
                if workers[place].machine.entries[facts.key] == nil {
                    workers[place].touched.remove(facts.key)
                } else {
                    counts["come back", default: 0] += 1
                }
            }
        default: break
        }
        for action in workers[place].machine.handle(event, now) { perform(action, place) }
        let machine = workers[place].machine
        if machine.flying != workers[place].flights.count { problems.append("\(machine.flying) are in flight") }
        if machine.flying >= 1_000 + WorkerEntry.slice { problems.append("\(machine.flying) are too many") }
        if let wake = machine.nextWake, wake <= now { problems.append("it wants to wake at \(wake), which is over") }
    }

    private mutating func perform(_ action: WorkerMachine.Action, _ place: Int) {
        switch action {
        case .push(let key, let tokens, let end):
            guard let id = workers[place].machine.entries[key]?.id else { return problems.append("\(key) is unknown") }
            if tokens.count > WorkerEntry.slice { problems.append("\(key) has too large a slice") }
            workers[place].flights += tokens.map {
                RandomWorker.Flight(key: key, token: RandomToken(entry: id, index: $0), end: end)
            }
        case .withdraw(let key):
            // They come back later, as with real links, by their ends.
            workers[place].flights = workers[place].flights.map { flight in
                guard !flight.isWritten, key == nil || key == flight.key else { return flight }
                return RandomWorker.Flight(key: flight.key, token: flight.token, end: now)
            }
        case .wait: workers[place].isWaiting = true
        case .forget, .tell: break
        case .finished: workers[place].isFinished = true
        case .beat:
            if workers[place].beats || workers[place].beatAnswer != nil { problems.append("a beat overlaps") }
            if case .leave? = workers[place].call { problems.append("a beat goes beside the leave") }
            workers[place].beats = true
        default:
            if workers[place].call != nil || workers[place].answer != nil { problems.append("\(action) overlaps") }
            workers[place].call = action
        }
    }
}
