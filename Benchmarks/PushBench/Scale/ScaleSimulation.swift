import ProcessRuntime

/// A queue and its workers in steps of 50 ms: how the backlog grows and drains while workers die, APNs cannot be reached, or the
/// queue's server is.
///
/// Tokens are a fluid, workers are single. The rules are those of `PushWorker`: what is taken is bounded by the links,
/// nothing is taken while no link is up, heartbeats are missed for 12 s before another worker takes over.
struct ScaleSimulation {
    /// What goes wrong, in seconds from the start.
    struct Trouble {
        /// Each of these seconds one worker, chosen at random, dies; it starts again after two seconds.
        var deathEvery: Double?
        var restart = 2.0
        /// A share of the workers dies at an instant.
        var massDeath: (at: Double, share: Double)?
        /// APNs resets all links, and accepts none for a time.
        var outage: (at: Double, length: Double)?
        /// The queue's server does not answer.
        var serverOutage: (at: Double, length: Double)?
    }

    /// What was seen.
    struct Result {
        var arrived = 0.0
        var done = 0.0
        /// The links broke under them: `unknown`, `connection_lost`.
        var unknown = 0.0
        /// They were in doubt when their worker died, and were pushed again with the same apns-id.
        var doubted = 0.0
        var deaths = 0
        var largestBacklog = 0.0
        /// The age of the oldest token that was taken, in seconds.
        var longestWait = 0.0
        /// When the backlog was as before the trouble again; nil if it never was.
        var drainedAt: Double?
        var backlog = 0.0
        var held = 0.0

        /// What is lost: zero, or the simulation is wrong.
        var lost: Double { arrived - done - unknown - backlog - held }
    }

    static let step = 0.05
    static let lease = 10.0
    /// What is between dying and the takeover: 12 s without a heartbeat, seen at a heartbeat, each 3 s.
    static let takeover = 12.0...16.0
    static let longestPause = 10.0
    /// Handshake and first answers: four round trips.
    static let handshakeTrips = 4.0

    let plan: ScalePlan
    let trouble: Trouble
    private var random: SeededGenerator
    private var workers: [ScaleWorker]
    private var backlog = 0.0
    private var result = Result()
    /// How much had arrived at each step, to find the age of what is taken.
    private var arrivals: [Double] = []
    private var oldestStep = 0
    private var now = 0.0
    private var nextDeath: Double?

    init(_ plan: ScalePlan, _ trouble: Trouble, seed: UInt64) {
        self.plan = plan
        self.trouble = trouble
        random = SeededGenerator(seed: seed)
        workers = Array(repeating: ScaleWorker(), count: plan.workers)
        nextDeath = trouble.deathEvery
    }

    /// Simulates this time.
    static func run(_ plan: ScalePlan, _ trouble: Trouble, seconds: Double, seed: UInt64) -> Result {
        var simulation = ScaleSimulation(plan, trouble, seed: seed)
        let steps = Int(seconds / step)
        for index in 0..<steps {
            simulation.now = Double(index) * step
            simulation.advance()
        }
        simulation.result.backlog = simulation.backlog
        simulation.result.held = simulation.workers.reduce(0) { sum, worker in
            sum + worker.held + worker.stranded.reduce(0) { $0 + $1.tokens }
        }
        return simulation.result
    }

    private var isServerAway: Bool { trouble.serverOutage.map { $0.at <= now && now < $0.at + $0.length } ?? false }
    private var isOutage: Bool { trouble.outage.map { $0.at <= now && now < $0.at + $0.length } ?? false }
    /// Heartbeats have failed for a lease: nothing is written any more.
    private var isLeaseOver: Bool { isServerAway && trouble.serverOutage.map { now >= $0.at + Self.lease } ?? false }
    /// The trouble has an end, after which the backlog goes.
    private var troubleEnd: Double? {
        [trouble.outage, trouble.serverOutage].compactMap { $0 }.map { $0.at + $0.length }.max()
            ?? trouble.massDeath?.at
    }

    private mutating func advance() {
        arrive()
        kill()
        for index in workers.indices { revive(index) }
        takeOver()
        // In this order: an answer comes a step after its push, which is a round trip.
        push()
        take()
        observe()
    }

    private mutating func arrive() {
        // While the queue's server does not answer, producers keep what they have, and bring it later.
        let tokens = plan.load.peak * Self.step
        result.arrived += tokens
        backlog += tokens
        arrivals.append(result.arrived)
    }

    // MARK: Workers die, and live again

    private mutating func kill() {
        if let time = nextDeath, time <= now, let every = trouble.deathEvery {
            nextDeath = time + every
            die(Int.random(in: workers.indices, using: &random))
        }
        if let mass = trouble.massDeath, mass.at <= now, now < mass.at + Self.step {
            let count = max(1, Int(Double(workers.count) * mass.share))
            for index in workers.indices.shuffled(using: &random).prefix(count) { die(index) }
        }
    }

    private mutating func die(_ index: Int) {
        guard workers[index].diedUntil == nil else { return }
        result.deaths += 1
        if workers[index].held > 0 {
            let end = now + Double.random(in: Self.takeover, using: &random)
            workers[index].stranded.append((workers[index].held, end))
        }
        workers[index].held = 0
        workers[index].linksUpAt = nil
        workers[index].diedUntil = now + trouble.restart
    }

    private mutating func revive(_ index: Int) {
        if let until = workers[index].diedUntil {
            guard until <= now else { return }
            workers[index].diedUntil = nil
            (workers[index].pause, workers[index].dialAt) = (0, now)
        }
        if isOutage, workers[index].linksUpAt != nil {
            // What was written may have arrived. What waited for a stream goes back to the queue.
            let written = min(workers[index].held, Double(plan.load.streams * plan.load.linksPerWorker))
            result.unknown += written
            backlog += workers[index].held - written
            workers[index].held = 0
            workers[index].linksUpAt = nil
            (workers[index].pause, workers[index].dialAt) = (0, now)
        }
        guard workers[index].linksUpAt == nil, workers[index].dialAt <= now else { return }
        guard isOutage else {
            workers[index].linksUpAt = now + Self.handshakeTrips * plan.load.roundTrip
            return
        }
        // 1, 3, 7, 10, 10 … seconds, less up to a fifth.
        workers[index].pause = min(Self.longestPause, workers[index].pause * 2 + 1)
        workers[index].dialAt = now + workers[index].pause * Double.random(in: 0.8...1, using: &random)
    }

    // MARK: Tokens

    /// What dead workers had goes to those that live, before anything new.
    private mutating func takeOver() {
        guard !isServerAway, let heir = workers.indices.first(where: { workers[$0].isUp(now) }) else { return }
        for index in workers.indices {
            for part in workers[index].stranded where part.at <= now {
                workers[heir].held += part.tokens
                result.doubted += part.tokens
            }
            workers[index].stranded.removeAll { $0.at <= now }
        }
    }

    private mutating func take() {
        guard !isServerAway else { return }
        let up = workers.indices.filter { workers[$0].isUp(now) }
        let room = Double(plan.load.linksPerWorker * (plan.load.streams + 256))
        for (place, index) in up.enumerated() {
            let tokens = min(backlog / Double(up.count - place), max(0, room - workers[index].held))
            workers[index].held += tokens
            backlog -= tokens
        }
    }

    private mutating func push() {
        guard !isLeaseOver else { return }
        for index in workers.indices where workers[index].isUp(now) {
            let tokens = min(workers[index].held, plan.workerRate * Self.step)
            workers[index].held -= tokens
            result.done += tokens
        }
    }

    private mutating func observe() {
        result.largestBacklog = max(result.largestBacklog, backlog)
        let taken = result.arrived - backlog
        while oldestStep < arrivals.count, arrivals[oldestStep] <= taken { oldestStep += 1 }
        result.longestWait = max(result.longestWait, now - Double(oldestStep) * Self.step)
        guard let end = troubleEnd, now >= end else { return }
        let isDrained = backlog <= plan.load.peak * Self.step
        if isDrained, result.drainedAt == nil { result.drainedAt = now - end }
        if !isDrained { result.drainedAt = nil }
    }
}
