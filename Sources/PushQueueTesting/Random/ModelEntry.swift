import PushQueue

/// What the model knows of one entry: where it is, and how each of its pushes ended.
struct ModelEntry {
    let entry: QueueEntry
    /// Who has it; nil while it waits.
    var owner: WorkerID?
    /// It is done or was cancelled.
    var isGone = false
    var isCancelled = false
    var settled = TokenSet()
    /// What may have been sent before its owner took it.
    var offered = 0
    /// What its owner has offered.
    var end = 0
    var doubts = 0
    var retries = 0
    /// How often it was put back to be pushed again. A store may name it otherwise after that.
    var generation = 0

    var isUrgent: Bool { entry.isUrgent }
    var count: Int { entry.tokens.count }
    var open: [Int] { entry.tokens.indices.filter { !settled.contains($0) } }

    /// It waits, and no worker that died may have sent something of it.
    var canBeCancelled: Bool { owner == nil && doubts == 0 && offered == 0 }

    init(_ entry: QueueEntry) { self.entry = entry }

    mutating func take(as worker: WorkerID) {
        owner = worker
        end = 0
    }

    mutating func release() {
        owner = nil
        end = 0
    }

    mutating func reclaim(as worker: WorkerID) {
        offered = max(offered, end, count <= 256 ? count : 0)
        if offered > 0 { doubts += 1 }
        take(as: worker)
    }

    mutating func cancel() { (isGone, isCancelled) = (true, true) }

    mutating func again(_ retries: Int) {
        release()
        self.retries = retries
        (offered, doubts) = (0, 0)
        generation += 1
    }
}

/// What a worker believes to have: what calls that answered have told.
struct ModelHold {
    let taken: TakenEntry
    let generation: Int
    /// Something was sent since it was taken, so it must not be released.
    var isTouched = false
}
