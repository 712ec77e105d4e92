import ProcessRuntime

@testable import PushQueueRedis

/// A connection with a server that answers, dies, and forgets, by chance.
struct RandomLife {
    /// The place of a ping among the calls that were written.
    private static let ping: UInt64 = 0
    private static let readOnly = RedisReply.error("READONLY You can't.")
    private static let moved = RedisReply.error("MOVED 1 other:6379")

    private var bench = Bench()
    private var generator: SeededGenerator
    private var isOpening = false
    private var isOpen = false
    private var hasGreeted = false
    /// What was written and not answered, in order.
    private var written: [UInt64] = []
    private var writtenBytes: UInt64 = 0
    private var lastCall: UInt64 = 0
    private(set) var open: Set<UInt64> = []
    private(set) var faults: [String] = []

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        perform(bench(.started))
    }

    mutating func step() {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0...3: call()
        case 4, 5: answer()
        case 6 where isOpening:
            isOpening = false
            isOpen = true
            perform(bench(.opened))
        case 6, 7: greet()
        case 8 where isOpen || isOpening: lose(Bench.outage)
        default: wake()
        }
    }

    private mutating func call() {
        lastCall += 1
        open.insert(lastCall)
        perform(bench.call(lastCall, within: .milliseconds(Int.random(in: 1...6_000, using: &generator))))
    }

    private mutating func greet() {
        guard isOpen, hasGreeted else { return }
        hasGreeted = false
        perform(bench(.received(Bench.welcome)))
    }

    /// Each call's reply is its number.
    private mutating func answer() {
        guard isOpen, !written.isEmpty else { return }
        let count = Int.random(in: 1...written.count, using: &generator)
        // Sometimes the server has become a replica, or the queue has moved.
        let chance = Int.random(in: 0..<8, using: &generator)
        let replies = written.prefix(count).map { id -> RedisReply in
            id == Self.ping
                ? .status("PONG") : chance == 0 ? Self.readOnly : chance == 1 ? Self.moved : .integer(Int64(id))
        }
        written.removeFirst(count)
        perform(bench(.received(replies)))
    }

    private mutating func lose(_ failure: RedisFailure) {
        isOpen = false
        isOpening = false
        hasGreeted = false
        let sent = writtenBytes == 0 ? 0 : UInt64.random(in: 0...writtenBytes, using: &generator)
        written = []
        writtenBytes = 0
        perform(bench(.lost(failure, sent: sent)))
    }

    private mutating func wake() {
        guard let wake = bench.machine.nextWake else { return }
        bench.now = max(bench.now, wake)
        perform(bench(.timePassed))
    }

    mutating func finish() {
        for _ in 0..<2_000 where !open.isEmpty { wake() }
    }

    private mutating func perform(_ actions: [RedisConnectionMachine.Action]) {
        for action in actions {
            switch action {
            case .open:
                if isOpen || isOpening { faults.append("opened twice") }
                isOpening = true
            case .greet: hasGreeted = true
            case .publish: break
            case .write(let id):
                if !open.contains(id) { faults.append("wrote \(id), which had ended") }
                if let last = written.last, last > id { faults.append("wrote \(id) after \(last)") }
                written.append(id)
                writtenBytes += 10
            case .ping:
                if !written.isEmpty { faults.append("asked although a call waits for its answer") }
                written.append(Self.ping)
                writtenBytes += UInt64(RedisConnectionMachine.ping.wireSize)
            case .answer(let id, let replies):
                if replies != [.integer(Int64(id))], ![[Self.readOnly], [Self.moved]].contains(replies) {
                    faults.append("\(id) got \(replies)")
                }
                end(id)
            case .fail(let id, _): end(id)
            case .leave:
                if !isOpen || !written.isEmpty { faults.append("left a server that owes answers") }
                (isOpen, hasGreeted, writtenBytes) = (false, false, 0)
            case .drop(let failure):
                if !isOpen && !isOpening { faults.append("dropped nothing") }
                lose(failure)
            }
        }
    }

    private mutating func end(_ id: UInt64) {
        if open.remove(id) == nil { faults.append("\(id) ended twice") }
    }
}
