import FoundationEssentials
import PushQueue
import PushTerminal

/// Judges what was seen of a queue.
struct QueueJudge {
    private let facts: QueueFacts
    private let now: Date

    init(_ facts: QueueFacts, now: Date = Date()) {
        self.facts = facts
        self.now = now
    }

    /// The layers of this kind of queue.
    private var layers: [QueueLayer] {
        let own: [QueueLayer] =
            facts.isServer
            ? [.connect, .server, .rights, .policy, .durability, .memory, .delay, .clock]
            : [.file, .integrity, .durability, .disk]
        return own + [.queue, .backlog, .outcomes, .dead, .workers]
    }

    /// A verdict for each layer, in their order.
    var verdicts: [QueueVerdict] {
        let known = storeVerdicts + statusVerdicts
        let why = facts.signal.map { "stopped by \($0.name)" } ?? hiding(known)
        return layers.map { layer in
            known.first { $0.layer == layer } ?? QueueVerdict(layer, is: .skipped, detail: why)
        }
    }

    /// Why a layer has no verdict.
    private func hiding(_ known: [QueueVerdict]) -> String {
        if let failure = known.first(where: { $0.verdict == .fail }) { return "\(failure.name) failed" }
        return "there is no queue \(facts.name) yet"
    }

    private var storeVerdicts: [QueueVerdict] {
        switch facts.store {
        case nil: []
        case .redis(let redis): RedisJudge(redis, facts).verdicts
        case .file(let file): FileJudge(file, facts).verdicts
        case .missing:
            [
                QueueVerdict(
                    .file, is: .fail, detail: "there is no file \(facts.place)", advice: "pushctl queue put makes it.",
                    status: .input)
            ]
        case .failed(let error):
            [
                QueueVerdict(
                    facts.isServer ? .connect : .file, is: .fail, detail: error.description,
                    status: CommandError(error, facts.place).status)
            ]
        }
    }

    // MARK: What is in it

    private var statusVerdicts: [QueueVerdict] {
        switch facts.status {
        case nil: []
        case .failure(let error):
            [
                QueueVerdict(
                    .backlog, is: .fail, detail: error.description, status: CommandError(error, facts.place).status)
            ]
        case .success(let status): [backlog(status), outcomes(status), dead(status), workers(status)]
        }
    }

    private func backlog(_ status: QueueStatus) -> QueueVerdict {
        let age =
            status.oldest.map { ", the oldest for \(Figures.span(Int64(max(0, now.timeIntervalSince($0)))))" } ?? ""
        return QueueVerdict(
            .backlog, is: .ok,
            detail:
                "entries: \(Figures.grouped(status.waiting)) waiting\(age), \(Figures.grouped(status.delayed)) delayed, "
                + "\(Figures.grouped(status.taken)) taken")
    }

    private func outcomes(_ status: QueueStatus) -> QueueVerdict {
        let stored = "\(Figures.grouped(status.outcomes)) stored"
        guard status.outcomesCut > 0 else { return QueueVerdict(.outcomes, is: .ok, detail: stored) }
        return QueueVerdict(
            .outcomes, is: .warning,
            detail: "\(stored); \(Figures.grouped(status.outcomesCut)) were removed before they were read",
            advice:
                "Read outcomes sooner (pushctl queue outcomes --follow), or let the queue keep more (--max-outcomes of "
                + "queue put or worker).")
    }

    private func dead(_ status: QueueStatus) -> QueueVerdict {
        guard status.dead > 0 else { return QueueVerdict(.dead, is: .ok, detail: "no dead letter") }
        let count = status.dead == 1 ? "1 dead letter" : "\(Figures.grouped(status.dead)) dead letters"
        return QueueVerdict(
            .dead, is: .warning, detail: count,
            advice: "pushctl queue dead says why. pushctl queue requeue puts back those that can be read; "
                + "pushctl queue discard removes any.")
    }

    private func workers(_ status: QueueStatus) -> QueueVerdict {
        let workers = WorkerLine.all(of: status)
        let dead = workers.filter(\.isDead)
        guard dead.isEmpty else {
            return QueueVerdict(
                .workers, is: .warning,
                detail: "\(workers.count - dead.count) alive; " + dead.prefix(5).map(\.text).joined(separator: "; ")
                    + (dead.count > 5 ? "; …" : ""),
                advice: "A worker that is silent for more than 12 s has died, or does not reach the queue.")
        }
        let suspended = workers.filter { $0.standing.note != nil }
        guard suspended.isEmpty else {
            return QueueVerdict(
                .workers, is: .warning,
                detail: "\(workers.count) alive, \(suspended.count) suspended; "
                    + suspended.prefix(5).map(\.text).joined(separator: "; ") + (suspended.count > 5 ? "; …" : ""),
                advice: "A suspended worker takes nothing until its cause is gone. pushctl worker --check tries it.")
        }
        guard workers.isEmpty, status.waiting > 0 else {
            return QueueVerdict(.workers, is: .ok, detail: "\(workers.count) alive")
        }
        let waiting = Figures.counted(status.waiting, one: "entry waits", many: "entries wait")
        return QueueVerdict(
            .workers, is: .warning, detail: "none, and \(waiting)",
            advice: "Start one: pushctl worker --queue \(facts.place) --name \(facts.name) …")
    }
}
