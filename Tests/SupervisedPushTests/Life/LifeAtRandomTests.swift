import ProcessRuntime
import Testing

@testable import SupervisedPush

/// Whatever happens to a connection or a pool, once it is closed and what lived has ended, it ends once, and everybody is told once.
@Suite struct LifeAtRandomTests {
    @Test(arguments: [LifeMachine.Kind.connection, .pool])
    func everyLifeEndsOnce(_ kind: LifeMachine.Kind) {
        for seed in 0..<2_000 {
            var run = LifeAtRandom(kind, seed: UInt64(seed))
            run.live(steps: seed % 60)
            run.end()
            #expect(run.problem == nil, "seed \(seed)")
        }
    }
}

/// A supervisor, a process and members that behave as they must, and events at random.
private struct LifeAtRandom {
    private let kind: LifeMachine.Kind
    private var life: LifeMachine
    private var chance: SeededGenerator
    private var now = MonotonicInstant(nanoseconds: 0)
    /// The live process, and what the supervisor may do next.
    private var process: ProcessID?
    private var isReleased = false
    private var owesWord = false
    private var mayStart = true
    private var members: Set<Int> = []
    private var lastNumber = 0
    private var mayEndProcess = false
    private var awaitsCompletions = false
    private var wasClosed = false
    private var done: [String: Int] = [:]
    private(set) var problem: String?

    init(_ kind: LifeMachine.Kind, seed: UInt64) {
        self.kind = kind
        life = LifeMachine(kind)
        chance = SeededGenerator(seed: seed)
    }

    mutating func live(steps: Int) {
        for _ in 0..<steps {
            now = now.advanced(by: .seconds(1))
            switch Int.random(in: 0..<12, using: &chance) {
            case 0, 1, 2: start()
            case 3, 4: endProcess()
            case 5, 6: supervisorSpeaks()
            case 7: if kind == .pool { join() }
            case 8: endMember()
            case 9:
                let refusal = Bool.random(using: &chance) ? LifeHarness.refusal : nil
                if kind == .pool, process != nil { handle(.giveUp(refusal)) }
            case 10: if Int.random(in: 0..<8, using: &chance) == 0 { close() }
            default: completionsReturn()
            }
        }
    }

    /// It is closed, and everything that lives ends, in any order.
    mutating func end() {
        close()
        for _ in 0..<200 {
            switch Int.random(in: 0..<4, using: &chance) {
            case 0: endProcess()
            case 1: endMember()
            case 2: supervisorSpeaks()
            default: completionsReturn()
            }
        }
        guard case .ended(let end) = life.state else { return fail("it is \(life.state)") }
        for once in ["forget", "endMessages", "resumeClosers", "giveBack", "awaitCompletions"] where done[once] != 1 {
            fail("\(once) was done \(done[once] ?? 0) times")
        }
        if done["postGivenUp", default: 0] != (end == .closed ? 0 : 1) { fail("givenUp and \(end)") }
    }

    // MARK: What may happen

    private mutating func start() {
        // A start that was under way when the child was released is refused.
        guard process == nil, mayStart else { return }
        guard life.isOpen else {
            mayStart = false
            if !life.handle(.processBegan(ProcessID(9_999)), now).isEmpty { fail("a process begins after the end") }
            return
        }
        lastNumber += 1
        let pid = ProcessID(UInt64(lastNumber))
        (process, mayStart) = (pid, false)
        handle(.processBegan(pid))
    }

    private mutating func endProcess() {
        guard let pid = process else { return }
        process = nil
        owesWord = !isReleased
        handle(.processEnded(pid, Bool.random(using: &chance) ? .killed : .normal))
    }

    /// Also where the child was released meanwhile: the word was on its way.
    private mutating func supervisorSpeaks() {
        guard owesWord else { return }
        owesWord = false
        if Int.random(in: 0..<4, using: &chance) == 0 {
            handle(.noRestart(Bool.random(using: &chance) ? .givenUp : .closed))
        } else {
            mayStart = true
            handle(.restartFollows)
        }
    }

    private mutating func join() {
        lastNumber += 1
        if life.isOpen { members.insert(lastNumber) }
        handle(.memberJoins(lastNumber))
    }

    private mutating func endMember() {
        guard let member = members.sorted().randomElement(using: &chance) else { return }
        members.remove(member)
        handle(.memberEnded(member))
    }

    private mutating func close() {
        let wasDecided = life.end != nil
        handle(.close(by: now.advanced(by: .seconds(Int.random(in: 0..<9, using: &chance)))))
        wasClosed = wasClosed || !wasDecided
    }

    private mutating func completionsReturn() {
        guard awaitsCompletions else { return }
        awaitsCompletions = false
        handle(.completionsReturned)
    }

    // MARK: What must hold

    private mutating func handle(_ event: LifeMachine.Event) {
        for action in life.handle(event, now) {
            note(action)
        }
        if life.end != nil, process != nil || !members.isEmpty { fail("it ends before what lives") }
        if life.process != process {
            fail("its process is \(life.process, default: "none"), not \(process, default: "none")")
        }
        if life.members != members, kind == .pool { fail("its members are \(life.members), not \(members)") }
    }

    private mutating func note(_ action: LifeMachine.Action) {
        switch action {
        case .release: isReleased = true
        case .awaitCompletions:
            awaitsCompletions = true
            count("awaitCompletions")
        case .postGivenUp:
            count("postGivenUp")
            if wasClosed { fail("it was closed, and is given up") }
        case .forget: count("forget")
        case .giveBack: count("giveBack")
        case .endMessages: count("endMessages")
        case .resumeClosers: count("resumeClosers")
        case .begin, .tellEnd, .closeRoom, .endRoom, .close, .stopProcess, .acceptOffers, .declineOffers: break
        }
    }

    private mutating func count(_ what: String) { done[what, default: 0] += 1 }

    private mutating func fail(_ what: String) { problem = problem ?? what }
}
