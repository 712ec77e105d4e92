import PushCampaign
import PushQueue
import PushTerminal

/// What a worker tells a log.
enum WorkerNews {
    /// One line for an event, without the program's name.
    static func line(_ event: PushWorker.Event) -> String {
        switch event {
        case .tookOver(let worker, let entries, let tokens):
            let doubt =
                tokens == 0 ? "no push in doubt" : "\(Figures.counted(tokens, one: "push", many: "pushes")) in doubt"
            let count = Figures.counted(entries, one: "entry", many: "entries")
            return "took over \(count) of the dead worker \(worker), \(doubt)"
        case .deadLetter(let entry, let reason):
            return "\(entry.map { "the entry \($0)" } ?? "an entry") is a dead letter: \(reason)"
        case .lostEntries(let entries):
            return
                "another worker has taken over \(Figures.counted(entries, one: "entry", many: "entries")) of this one"
        case .storeUnreachable(let error): return "the queue cannot be used: \(error)"
        case .storeBack(let time): return "the queue answers again, after \(Figures.wait(time / .seconds(1)))"
        case .storeFailed(let error): return "\(trouble(error.code)): \(error) \(doctor)"
        case .queueLost(let error): return "the queue was lost: \(error)"
        case .paused(let pause): return PauseLine.clause(pause)
        case .resumed: return PauseLine.clause(nil)
        case .steered(let steering): return "the queue is \(Steering(value: steering).text)"
        case .leaseLost:
            return "no heartbeat was acknowledged for 10 s: nothing is pushed until one is"
        }
    }

    /// How much an event matters.
    static func level(_ event: PushWorker.Event) -> LogLine.Level {
        switch event {
        case .tookOver, .storeBack, .resumed, .steered: .info
        case .queueLost: .error
        default: .warning
        }
    }

    /// Where more about a queue in trouble can be learned.
    static let doctor = "pushctl doctor --queue tells what is wrong with it"

    private static func trouble(_ code: QueueError.Code) -> String {
        switch code {
        case .full: "the queue has no room, and the outcomes are kept until it has"
        case .refused: "the queue refuses this worker"
        default: "the queue cannot be used"
        }
    }
}
