import Foundation
import ProcessRuntime
import PushLocking
import PushQueue
import PushQueueRedis
import QueueTestSupport
import Testing

/// Workers in one process that stop at any moment and lose commands and replies, on a real server. It judges each entry
/// that one gets by what was sent and recorded before.
struct StoreLives {
    /// What is known of one entry beside the store.
    struct Story {
        let tokens: Int
        /// Tokens that were sent and are in nobody's hands: their worker stopped, and no outcome of theirs was told.
        var doubtful = TokenSet()
        /// Tokens whose outcome the store has acknowledged.
        var recorded = TokenSet()
        /// Tokens whose outcome was told to the store; it may have it.
        var told = TokenSet()
    }

    /// An entry that a worker has.
    struct Hold {
        let taken: TakenEntry
        let id: EntryID
        let tokens: Int
        /// What the store was told to be offered, and what was sent of it.
        var offered = 0
        var sent = TokenSet()
        var settled: TokenSet
    }

    let bench: QueueBench
    let client: LossyRedis
    let queue: RedisQueue
    var random: SeededGenerator
    var stories: [EntryID: Story] = [:]
    /// Entries that the store has acknowledged, that it has removed, and that it may have removed.
    var stored: Set<EntryID> = []
    var cancelled: Set<EntryID> = []
    var mayBeCancelled: Set<EntryID> = []
    var holds: [WorkerID: [TakenEntry.Key: Hold]] = [:]
    /// Settlements without an acknowledgement, of living workers and of those that stopped.
    var unsettled: [(WorkerID, Settlement)] = []
    var acknowledged: [(WorkerID, Settlement)] = []
    /// Keys that were told to be pushed again: answers of others that come later find nothing.
    var moved: Set<TakenEntry.Key> = []
    /// Entries whose release was not acknowledged: they must not be sent.
    var releasing: [WorkerID: [TakenEntry.Key]] = [:]
    var mustRecover: Set<WorkerID> = []
    var dead: [WorkerID] = []
    private var lives = 0

    init(_ server: RedisServer, seed: UInt64) async throws {
        bench = try QueueBench(server)
        client = LossyRedis(try server.connect())
        var options = RedisQueue.Configuration()
        options.quietAfterFailover = .zero
        queue = try RedisQueue(bench.name, commands: client, waiting: client, configuration: options)
        random = SeededGenerator(seed: seed)
        for _ in 0..<3 { begin() }
        try await queue.open(as: workers[0])
        let losses = Locked(SeededGenerator(seed: seed &+ 1))
        client.decide {
            switch losses.withLock({ Int.random(in: 0..<100, using: &$0) }) {
            case ..<4: .loseReply
            case ..<7: .loseCommand
            default: .pass
            }
        }
    }

    var workers: [WorkerID] { holds.keys.sorted { $0.description < $1.description } }

    mutating func begin() {
        lives += 1
        holds[WorkerID("life-\(lives)")] = [:]
    }

    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    // MARK: Judgement

    /// Notes an entry that a worker got, and compares it with its story.
    mutating func receive(_ taken: TakenEntry, as worker: WorkerID) throws {
        let entry = try taken.entry.get()
        let story = try #require(stories[entry.id])
        #expect(entry.tokens.count == story.tokens && !cancelled.contains(entry.id))
        for index in 0..<story.tokens {
            let settled = taken.settled.contains(index)
            #expect(settled || !story.recorded.contains(index), "What was recorded must not be pushed again.")
            #expect(!settled || story.told.contains(index), "An outcome appeared that no worker told.")
            #expect(
                settled || index < taken.offered || !story.doubtful.contains(index), "What is in doubt looks fresh.")
        }
        let others = holds.filter { $0.key != worker && $0.value[taken.key] != nil }
        #expect(others.isEmpty, "Two living workers have one entry.")
        holds[worker]?[taken.key] = Hold(
            taken: taken, id: entry.id, tokens: story.tokens, settled: taken.settled)
    }

    // MARK: Calls

    /// Runs a call that may be lost; false if it was.
    func reaches(_ call: () async throws(QueueError) -> Void) async throws -> Bool {
        do throws(QueueError) {
            try await call()
            return true
        } catch {
            if error.code == .unreachable { return false }
            throw error
        }
    }

    mutating func put() async throws {
        let sizes = [1, 1, 2, 3, 256, 257, 600]
        let past = number(0..<4) == 0 ? Date(timeIntervalSinceNow: -1) : nil
        var entry = try QueueEntry.sample(sizes[number(0..<sizes.count)], notBefore: past)
        entry.isUrgent = number(0..<3) == 0
        // A command whose reply was lost may have put it in: so it has a story, and the end asks the store.
        stories[entry.id] = Story(tokens: entry.tokens.count)
        let put = try await reaches { [entry] () throws(QueueError) in try await queue.enqueue([entry]) }
        if put { stored.insert(entry.id) }
    }

    mutating func take(_ worker: WorkerID) async throws {
        guard try await finishReleases(worker) else { return }
        var taken: [TakenEntry] = []
        let tokens = number(1..<900)
        let open = unsettled.filter { $0.0 == worker }.map(\.1.key)
        let known = Set((holds[worker] ?? [:]).keys).union(open)
        let recovers = mustRecover.contains(worker)
        let told = try await reaches { () throws(QueueError) in
            taken =
                recovers
                ? try await queue.recover(as: worker, besides: known) : try await queue.take(as: worker, tokens: tokens)
        }
        if told { mustRecover.remove(worker) } else { mustRecover.insert(worker) }
        for entry in taken where told { try receive(entry, as: worker) }
    }

    /// Repeats releases until they are acknowledged: what was given back may be another's.
    mutating func finishReleases(_ worker: WorkerID) async throws -> Bool {
        guard let keys = releasing[worker] else { return true }
        guard try await reaches({ () throws(QueueError) in try await queue.release(as: worker, keys) }) else {
            return false
        }
        releasing[worker] = nil
        return true
    }

    /// Offers the next slice of an entry, and sends its open tokens.
    mutating func send(_ worker: WorkerID, _ key: TakenEntry.Key) async throws {
        guard var hold = holds[worker]?[key], hold.offered < hold.tokens else { return }
        let end = min(hold.offered + 256, hold.tokens)
        if hold.tokens > 256 {
            let offered = try await reaches { () throws(QueueError) in try await queue.offer(as: worker, [key: end]) }
            if !offered { return }
        }
        for index in hold.offered..<end where !hold.settled.contains(index) && number(0..<10) > 0 {
            hold.sent.insert(index)
        }
        hold.offered = end
        holds[worker]?[key] = hold
    }
}
