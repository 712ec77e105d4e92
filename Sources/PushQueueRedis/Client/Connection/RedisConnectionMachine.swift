import DequeModule
import HeapModule
import ProcessRuntime
import PushQueue

/// Decides what a connection to Redis does: when it connects, which call gets which reply, and how each call ends.
///
/// It knows numbers of calls and sizes. The bytes, the socket and the callers are its interpreter's.
struct RedisConnectionMachine: StateMachine {
    enum Event: Equatable {
        case started
        /// A new call, with the number of its replies and of its bytes. Its own number is larger than all before.
        case called(UInt64, replies: Int, bytes: Int, deadline: MonotonicInstant)
        /// The connection is open, with TLS if that is used.
        case opened
        case received([RedisReply])
        /// The connection could not be made, or is gone.
        ///
        /// `sent`: How many bytes of calls have left, or may have, on this connection.
        case lost(RedisFailure, sent: UInt64 = 0)
        case timePassed
    }

    enum Action: Equatable {
        case open(RedisTarget)
        /// Write the commands of the greeting: those for a server, or the question for a Sentinel.
        case greet
        /// Report a session. No call has been written in it.
        case publish(RedisServerSession)
        /// Write a call behind what was written before.
        case write(UInt64)
        /// Write ``ping`` behind what was written before.
        case ping
        case answer(UInt64, [RedisReply])
        case fail(UInt64, RedisFailure)
        /// Give the connection up. The event `lost` follows at once, with this failure.
        case drop(RedisFailure)
        /// Close the connection, on which no call waits for an answer. No event follows.
        case leave
    }

    enum Phase: Equatable {
        case idle
        case waiting(until: MonotonicInstant)
        case opening(until: MonotonicInstant)
        case greeting([RedisReply], until: MonotonicInstant)
        case ready
    }

    private struct Call {
        let replies: Int
        let bytes: Int
        /// The machine's own question whether the server is there. It has no caller.
        var isPing = false
        /// The first byte's place among the bytes of this connection's calls; nil while it is not written.
        var start: UInt64?
        var received: [RedisReply] = []
    }

    private struct Deadline: Comparable {
        let instant: MonotonicInstant
        let call: UInt64

        static func < (left: Deadline, right: Deadline) -> Bool {
            (left.instant, left.call) < (right.instant, right.call)
        }
    }

    /// What is sent after a silence.
    static let ping = RedisCommand("PING")
    private static let pingSize = ping.wireSize
    /// With these a server refuses writes that another one may take: a replica, a primary that is cut off from its replicas,
    /// which may have a successor by now, and a node that is cut off from its cluster.
    private static let noWriteCodes = ["READONLY", "NOREPLICAS", "CLUSTERDOWN"]
    private static let longestWait = Duration.seconds(5)
    /// Where another server may take the place of one that is gone.
    private static let longestWaitForOthers = Duration.seconds(1)

    let configuration: RedisConnection.Configuration
    /// How sentences call the server that the connection goes to.
    private(set) var server: String
    private var greeting: RedisGreeting
    private var route: RedisRoute
    private var target: RedisTarget
    private var backoff: RedisBackoff
    private(set) var phase = Phase.idle
    private var calls: [UInt64: Call] = [:]
    /// Calls that are not written, in their order. Some may have ended.
    private var waiting = Deque<UInt64>()
    /// Calls that are written, in the order of their replies.
    private var inFlight = Deque<UInt64>()
    /// Of all calls. Some may have ended.
    private var deadlines = Heap<Deadline>()
    /// How many bytes of calls were written on this connection.
    private var written: UInt64 = 0
    /// The server takes no writes any more: no call is written to it, and the connection ends with the last answer. The
    /// next one looks the name up again, and may so find the new primary.
    private var isStale = false
    /// The node of a cluster that has the keys of a call. The connection goes there as one that is stale, and at once.
    private var movedTo: RedisNode?
    /// When the server was last heard of, and when the silence since then is looked at.
    private var heard = MonotonicInstant.distantFuture
    private var nextLook = MonotonicInstant.distantFuture
    /// Pings have numbers from the end, which no call has.
    private var nextPing = UInt64.max
    /// Why there is no connection.
    private(set) var cause: RedisFailure?
    private var session: RedisServerSession?

    /// - Parameter last: The last session of an earlier life of the process.
    init(_ configuration: RedisConnection.Configuration, seed: UInt64, after last: RedisServerSession? = nil) {
        session = last
        self.configuration = configuration
        server = configuration.description
        greeting = RedisGreeting(configuration)
        route = RedisRoute(configuration.address)
        target = route.begin()
        backoff = RedisBackoff(seed: seed)
    }

    var nextWake: MonotonicInstant? {
        let instant: MonotonicInstant? =
            switch phase {
            case .idle: nil
            case .ready: nextLook
            case .waiting(let until), .opening(let until), .greeting(_, let until): until
            }
        guard let first = deadlines.min?.instant else { return instant }
        return instant.map { min($0, first) } ?? first
    }

    mutating func handle(_ event: Event, _ now: MonotonicInstant, into actions: inout [Action]) {
        switch event {
        case .started: go(to: route.begin(), now, &actions)
        case .called(let id, let replies, let bytes, let deadline):
            called(id, call: Call(replies: replies, bytes: bytes), by: deadline, &actions)
        case .opened: opened(&actions)
        case .received(let replies): received(replies, now, &actions)
        case .lost(let failure, let sent): lost(failure, sent: sent, now, &actions)
        case .timePassed: timePassed(now, &actions)
        }
        while let first = deadlines.min, calls[first.call] == nil { deadlines.removeMin() }
    }

    // MARK: The connection

    private mutating func go(to target: RedisTarget, _ now: MonotonicInstant, _ actions: inout [Action]) {
        self.target = target
        let reached = configuration.reaching(target)
        server = reached.description
        greeting = RedisGreeting(reached)
        phase = .opening(until: now.advanced(by: configuration.limit(for: target)))
        written = 0
        (isStale, movedTo) = (false, nil)
        actions.append(.open(target))
    }

    private mutating func opened(_ actions: inout [Action]) {
        guard case .opening(let until) = phase else { return }
        phase = .greeting([], until: until)
        actions.append(.greet)
    }

    private mutating func greeted(
        _ replies: [RedisReply], until: MonotonicInstant, _ now: MonotonicInstant, _ actions: inout [Action]
    ) {
        if let refusal = greeting.refusal(in: replies) { return actions.append(.drop(refusal)) }
        if let redirection = greeting.redirection(in: replies) {
            return move(to: redirection.node(from: greeting.place), now, &actions)
        }
        guard replies.count >= greeting.steps.count else { return phase = .greeting(replies, until: until) }
        let session = greeting.session(replies, after: session)
        if route.wantsPrimary, session.role != .primary { return actions.append(.drop(notPrimary)) }
        self.session = session
        route.connected(replicas: greeting.replicasOfNode(replies))
        phase = .ready
        (heard, nextLook) = (now, now.advanced(by: configuration.pingInterval))
        cause = nil
        backoff.reset()
        actions.append(.publish(session))
        while let id = waiting.popFirst() { write(id, &actions) }
    }

    /// Goes to the node of a cluster that another one names.
    private mutating func move(to node: RedisNode, _ now: MonotonicInstant, _ actions: inout [Action]) {
        guard let next = route.moved(to: node) else { return actions.append(.drop(tooManyRedirections)) }
        actions.append(.leave)
        go(to: next, now, &actions)
    }

    /// A Sentinel has answered.
    private mutating func asked(
        _ replies: [RedisReply], until: MonotonicInstant, _ now: MonotonicInstant, _ actions: inout [Action]
    ) {
        guard let sentinels = configuration.address.sentinels else { return }
        switch RedisSentinelQuestion(sentinels, at: server).answer(in: replies) {
        case nil: phase = .greeting(replies, until: until)
        case .failure(let failure): actions.append(.drop(failure))
        case .success(let primary):
            actions.append(.leave)
            go(to: route.named(primary), now, &actions)
        }
    }

    private mutating func lost(
        _ failure: RedisFailure, sent: UInt64, _ now: MonotonicInstant, _ actions: inout [Action]
    ) {
        var failure = failure
        if case .sentinel = target {
            if let next = route.sentinelFailed(failure) { return go(to: next, now, &actions) }
            failure = route.noPrimary
        } else if phase != .ready {
            route.serverFailed()
        }
        cause = failure
        endWritten(failure, sent: sent, &actions)
        if failure.code == .refused {
            for id in waiting where calls.removeValue(forKey: id) != nil { actions.append(.fail(id, failure)) }
            waiting.removeAll()
        }
        phase = .waiting(
            until: now.advanced(
                by: backoff.wait(atMost: route.knowsOthers ? Self.longestWaitForOthers : Self.longestWait)))
    }

    /// Ends the calls that may have left. The others were certainly not executed: they wait for the next connection.
    private mutating func endWritten(_ failure: RedisFailure, sent: UInt64, _ actions: inout [Action]) {
        while let id = inFlight.popLast() {
            guard let start = calls[id]?.start else { continue }
            guard start < sent else {
                calls[id]?.start = nil
                if calls[id]?.isPing == true { calls[id] = nil } else { waiting.prepend(id) }
                continue
            }
            inFlight.append(id)
            break
        }
        for id in inFlight where calls.removeValue(forKey: id)?.isPing == false {
            let sentence = "\(failure) The call was written before: it may have been executed."
            actions.append(.fail(id, RedisFailure(.unreachable, sentence)))
        }
        inFlight.removeAll()
    }

    // MARK: Calls

    private mutating func called(
        _ id: UInt64, call: Call, by deadline: MonotonicInstant, _ actions: inout [Action]
    ) {
        if case .waiting = phase, let cause, cause.code == .refused { return actions.append(.fail(id, cause)) }
        calls[id] = call
        deadlines.insert(Deadline(instant: deadline, call: id))
        if phase == .ready, !isStale { write(id, &actions) } else { waiting.append(id) }
    }

    private mutating func write(_ id: UInt64, _ actions: inout [Action]) {
        guard let call = calls[id] else { return }
        calls[id]?.start = written
        written += UInt64(call.bytes)
        inFlight.append(id)
        actions.append(.write(id))
    }

    private mutating func received(_ replies: [RedisReply], _ now: MonotonicInstant, _ actions: inout [Action]) {
        if case .greeting(let before, let until) = phase {
            if case .sentinel = target { return asked(before + replies, until: until, now, &actions) }
            return greeted(before + replies, until: until, now, &actions)
        }
        guard phase == .ready else { return }
        heard = now
        for reply in replies {
            guard let id = inFlight.first else {
                let sentence = "\(server) sent an answer to nothing. Do not use commands with several answers here."
                return actions.append(.drop(RedisFailure(.failed, sentence)))
            }
            if case .error(let text) = reply { note(RedisErrorCode(text).word, RedisRedirection(text)) }
            calls[id]?.received.append(reply)
            guard let call = calls[id], call.received.count == call.replies else { continue }
            inFlight.removeFirst()
            calls[id] = nil
            if !call.isPing { actions.append(.answer(id, call.received)) }
        }
        guard isStale, inFlight.isEmpty else { return }
        if let movedTo { return move(to: movedTo, now, &actions) }
        actions.append(.drop(noWrites))
    }

    private mutating func note(_ code: String, _ redirection: RedisRedirection?) {
        if redirection?.kind == .moved { movedTo = redirection?.node(from: greeting.place) }
        if redirection?.kind == .moved || Self.noWriteCodes.contains(code) { isStale = true }
    }

    // MARK: Time

    private mutating func timePassed(_ now: MonotonicInstant, _ actions: inout [Action]) {
        while let first = deadlines.min, first.instant <= now {
            if let call = calls[first.call], call.start != nil {
                // What comes after it would wait for it, so the connection is of no use any more.
                return actions.append(.drop(noAnswer))
            }
            deadlines.removeMin()
            if calls.removeValue(forKey: first.call) != nil { actions.append(.fail(first.call, notWritten)) }
        }
        dropEnded()
        switch phase {
        case .waiting(let until) where until <= now: go(to: route.begin(), now, &actions)
        case .opening(let until) where until <= now: actions.append(.drop(notOpened))
        case .greeting(_, let until) where until <= now: actions.append(.drop(noGreeting))
        case .ready where nextLook <= now: look(now, &actions)
        default: break
        }
    }

    /// Asks the server if it was silent. While a call waits for its answer, that call's time decides.
    private mutating func look(_ now: MonotonicInstant, _ actions: inout [Action]) {
        let due = inFlight.isEmpty ? heard.advanced(by: configuration.pingInterval) : .distantFuture
        guard due <= now, !isStale else {
            nextLook = due < .distantFuture ? due : now.advanced(by: configuration.pingInterval)
            if nextLook <= now { nextLook = now.advanced(by: configuration.pingInterval) }
            return
        }
        nextLook = now.advanced(by: configuration.pingInterval)
        calls[nextPing] = Call(replies: 1, bytes: Self.pingSize, isPing: true, start: written)
        deadlines.insert(Deadline(instant: now.advanced(by: configuration.timeLimit), call: nextPing))
        inFlight.append(nextPing)
        written += UInt64(Self.pingSize)
        nextPing -= 1
        actions.append(.ping)
    }

    /// Forgets calls that ended while they waited, when there are many of them.
    private mutating func dropEnded() {
        while let id = waiting.first, calls[id] == nil { waiting.removeFirst() }
        if waiting.count > 64 + 2 * calls.count { waiting.removeAll { calls[$0] == nil } }
    }
}
