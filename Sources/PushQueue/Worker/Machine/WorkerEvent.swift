import FoundationEssentials
import ProcessRuntime
import SupervisedPush

extension WorkerMachine {
    typealias Key = TakenEntry.Key

    /// What the machine knows of an entry that the worker got.
    struct Facts: Sendable, Equatable {
        var key: Key
        /// Nil if the entry cannot be read.
        var id: EntryID?
        /// How many tokens it has.
        var count = 0
        var neverRepeats = false
        /// When it is too late to push it.
        var deadline: MonotonicInstant?
        var offered = 0
        var settled = TokenSet()
        var doubts = 0
        var retries = 0
        var campaign: CampaignName?
        /// Why nothing of its campaign is pushed, as the store said when the worker got it.
        var hold: QueueCampaign.Hold?
    }

    /// How the push to one token ended.
    enum Ending: Sendable, Equatable {
        /// With a result, which the interpreter keeps.
        case told
        /// It was not sent, or not processed, for a reason that is this worker's, and not the push's.
        case unsent
        /// It was attempted, and certainly not processed. It is offered again, but not without end: the interpreter keeps
        /// the result.
        case refused
        /// APNs asks to push it later. The interpreter keeps the result, in case that it is not pushed again.
        case later(Date)
    }

    /// What the end of a push says about the sender and the service, which all pushes share.
    enum Evidence: Sendable, Equatable {
        case nothing
        case accepted
        /// It was rejected for a reason of its own or its device's.
        case rejected
        case refused(PushResponse.Subject)
    }

    enum Event: Sendable, Equatable {
        /// The store knows the worker.
        case opened
        /// How the queue is steered.
        case steered(QueueSteering)
        /// Why nothing of campaigns may be pushed; of the others, everything may.
        case held([CampaignName: QueueCampaign.Hold])
        /// The worker has another rate of its own.
        case paced(QueueRate?)
        /// How many pushes the links take now, those in flight included; 0 while no link is up.
        case room(Int)
        /// The pushes to these tokens ended.
        case ended([Ended])
        /// The store's answers to the call that is under way.
        case took([Facts])
        case recovered([Facts])
        case reclaimed([Facts])
        case offered
        case settled
        case released
        case permitted(PushPermit)
        case left
        /// The call failed. It may have happened if the store did not answer.
        case failed(QueueError.Code)
        /// The heartbeat's answer: the counters of all workers.
        case beaten([WorkerID: UInt64])
        case beatFailed
        /// The wait for entries is over.
        case waited
        case waitFailed
        /// Time passed.
        case tick
        /// End in order: what is in flight has this time to be answered.
        case stop(within: Duration)
    }

    /// One token whose push ended.
    struct Ended: Sendable, Equatable {
        let key: Key
        let index: Int
        let ending: Ending
        let evidence: Evidence

        init(_ key: Key, index: Int, ending: Ending, evidence: Evidence = .nothing) {
            self.key = key
            self.index = index
            self.ending = ending
            self.evidence = evidence
        }

        var isRefused: Bool { if case .refused = evidence { true } else { false } }
    }

    enum Action: Sendable, Equatable {
        // Calls to the store, one at a time.
        case take(tokens: Int)
        case permit(tokens: Int, QueueRate)
        case recover(besides: Set<Key>)
        case reclaim(from: WorkerID, at: UInt64, limit: Int)
        case offer([Key: Int])
        case settle([Part])
        case release([Key])
        case leave
        // Calls beside the others, one of each at a time.
        case beat
        /// Wait until there may be something to take.
        case wait(upTo: Duration)

        /// Push to these tokens of an entry. What is not written at this instant comes back as not sent.
        case push(Key, [Int], by: MonotonicInstant)
        /// Cancel all pushes that were not written; with a key, only those of this entry.
        case withdraw(Key?)
        /// The entry is over for this worker.
        case forget(Key)
        /// What only the machine knows, for those who watch the worker.
        case tell(News)
        /// The worker has ended.
        case finished
    }

    enum News: Sendable, Equatable {
        /// It got entries from a worker that died.
        case tookOver(from: WorkerID, entries: Int, tokensInDoubt: Int)
        /// So many of its entries are another worker's.
        case lostEntries(Int)
        /// Its heartbeats are not acknowledged.
        case leaseLost
        /// APNs refuses the sender or does not serve: nothing is pushed for this time, and then one push.
        case paused(PushResponse.Subject, nextProbe: Duration)
        /// Pushes are accepted again.
        case resumed
        /// The queue is steered otherwise than before.
        case steered(QueueSteering)
    }

    /// What is settled of one entry.
    struct Part: Sendable, Equatable {
        let key: Key
        let rows: [Row]
        let fate: Fate
    }

    /// The outcome of one token.
    struct Row: Sendable, Equatable {
        enum Kind: Sendable, Equatable {
            /// The result that the interpreter keeps.
            case told
            /// `unknown`, `interrupted`: an earlier worker died with it.
            case interrupted
            /// `failed`, `dead_letter`: it was never sent.
            case deadLetter
            /// `failed`, `expired`: the entry's deadline passed.
            case tooLate
        }

        let index: Int
        let kind: Kind

        init(_ index: Int, _ kind: Kind) {
            self.index = index
            self.kind = kind
        }
    }

    /// What becomes of an entry.
    enum Fate: Sendable, Equatable {
        case open
        case done
        /// Its open tokens are pushed later. The number says how often it has been postponed, if this is one of those times.
        case again(Date, retries: Int)
        /// Three workers died with it.
        case dead
        /// It cannot be read.
        case unreadable
        /// Its campaign was cancelled: its open tokens get no outcome.
        case cancelled
    }
}
