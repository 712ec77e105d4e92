import Dispatch

/// Calls completions in batches, and collectors once per batch, on a queue of the connection that is never its
/// process's own. It also resumes the tasks of a batch.
///
/// Outcomes keep the order in which they were added. The queue's threads come from a different pool than the processes'
/// (see `DispatchQueue.forCallers`), so a completion that blocks delays no connection.
final class OutcomeDelivery: Sendable {
    /// An outcome and its receiver. Not a tuple: in an array, each tuple would cost another closure.
    struct Completion {
        private var call: (@Sendable (OutcomeReceiver.Outcome) -> Void)?
        private let outcome: OutcomeReceiver.Outcome

        init(
            _ call: consuming @escaping @Sendable (OutcomeReceiver.Outcome) -> Void,
            with outcome: consuming OutcomeReceiver.Outcome
        ) {
            self.call = call
            self.outcome = outcome
        }

        /// Calls the closure and releases it, while the processor's cache has it: after a burst, it would not.
        mutating func complete() { call.take()?(outcome) }
    }

    /// The outcomes of one drain of the process.
    struct Batch {
        var completions: [Completion] = []
        /// For collectors, which take their outcomes together.
        var collected: [(collector: any OutcomeCollector, settled: [SettledPush])] = []
        /// How many pushes the completions and the collectors receive.
        var count = 0
        /// How many bytes these pushes count until they were delivered.
        var bytes = 0
        /// Tasks to resume, which do not pass through the delivery queue.
        var tasks: [ResumedTask] = []
        /// Late ends of pushes whose outcomes their collectors have. They come first: the outcomes of this batch may be all
        /// that a collector waits for.
        var late: [(collector: any OutcomeCollector, push: LatePush)] = []
        /// Late ends of pushes whose outcomes are in this batch.
        var lateBehind: [(collector: any OutcomeCollector, push: LatePush)] = []
        var feedback: [FeedbackEvent] = []
        var isEmpty: Bool { count == 0 && tasks.isEmpty && late.isEmpty && lateBehind.isEmpty && feedback.isEmpty }

        /// Adds an outcome whose receiver is resumed or called in batches. Returns the outcome of any other receiver.
        ///
        /// The receiver is moved out of the record: to copy it would wait for memory that this thread does not need.
        mutating func add(
            _ outcome: consuming OutcomeReceiver.Outcome, of record: PushRecord
        ) -> OutcomeReceiver.Outcome? {
            guard record.outcome.isBatched else { return outcome }
            switch record.takeReceiver() {
            case .task(let handOver): tasks.append(ResumedTask(handOver, outcome: outcome))
            case .completion(let call): add(call, with: outcome, of: record)
            case .collector(let collector, let ticket):
                // It also hears of the late end.
                if record.isLate { record.outcome = .collector(collector, ticket: ticket) }
                add(collector, ticket: ticket, with: outcome, of: record)
            case .thread, .nobody, .moved: break
            }
            return nil
        }

        /// Adds the late end of a push. Only collectors hear of it; for other callers there are lifecycle messages.
        mutating func add(late end: LateResponse.Outcome, of record: PushRecord) {
            guard case .collector(let collector, let ticket) = record.takeReceiver() else { return }
            let push = LatePush(ticket: ticket, end: end)
            let isBehind = collected.contains { batch in
                batch.collector === collector && batch.settled.contains { $0.ticket == ticket && !$0.isFinal }
            }
            if isBehind { lateBehind.append((collector, push)) } else { late.append((collector, push)) }
        }

        private mutating func add(
            _ call: consuming @escaping @Sendable (OutcomeReceiver.Outcome) -> Void,
            with outcome: consuming OutcomeReceiver.Outcome, of record: PushRecord
        ) {
            completions.append(Completion(call, with: outcome))
            count += 1
            bytes += record.size
        }

        private mutating func add(
            _ collector: any OutcomeCollector, ticket: Int, with outcome: consuming OutcomeReceiver.Outcome,
            of record: PushRecord
        ) {
            let settled = SettledPush(record: record, ticket: ticket, outcome: outcome, isFinal: !record.isLate)
            count += 1
            bytes += record.size
            // There is nearly always one collector, or none.
            if let index = collected.lastIndex(where: { $0.collector === collector }) {
                collected[index].settled.append(settled)
            } else {
                collected.append((collector, [settled]))
            }
        }
    }

    /// The completions and the collectors of a batch. A reference, because a block cannot move what it has captured out
    /// of it.
    private final class Receivers: @unchecked Sendable {
        // Sendable: only the block that calls them accesses them.
        private var completions: [Completion]
        private var collected: [(collector: any OutcomeCollector, settled: [SettledPush])]

        /// Takes them from the batch.
        init(of batch: inout Batch) {
            (completions, collected) = (batch.completions, batch.collected)
            (batch.completions, batch.collected) = ([], [])
        }

        /// - Parameter room: Knows how often the pushes were written.
        func call(_ room: SharedWaitingRoom) {
            var completions: [Completion] = []
            swap(&completions, &self.completions)
            for index in completions.indices { completions[index].complete() }
            var collected: [(collector: any OutcomeCollector, settled: [SettledPush])] = []
            swap(&collected, &self.collected)
            for index in collected.indices {
                room.countAttempts(of: &collected[index].settled)
                collected[index].collector.collect(collected[index].settled)
            }
        }
    }

    private let queue: DispatchQueue
    private let feedback: FeedbackDelivery?
    /// For pushes that the call refused: their completions follow those delivered so far, while there is room for them.
    let refusals: RefusalDelivery

    init(label: String, feedback: FeedbackDelivery?) {
        queue = DispatchQueue(label: label, target: .forCallers)
        self.feedback = feedback
        refusals = RefusalDelivery(on: queue)
        RuntimeQueue.mark(queue)
    }

    /// Resumes the batch's tasks. Calls its completions, then the feedback handler; tells the room how many completions
    /// have returned.
    func deliver(_ batch: consuming sending Batch, room: SharedWaitingRoom) {
        if !batch.tasks.isEmpty { room.resume(batch.tasks) }
        batch.tasks = []
        if batch.isEmpty { return }
        let events = feedback?.admit(batch.feedback) ?? []
        batch.feedback = []
        refusals.endBatch()
        let receivers = Receivers(of: &batch)
        queue.async { [batch, feedback] in
            for (collector, push) in batch.late { collector.collect(late: [push]) }
            if batch.count > 0 {
                room.deliver(batch.count, bytes: batch.bytes) { receivers.call(room) }
            }
            for (collector, push) in batch.lateBehind { collector.collect(late: [push]) }
            feedback?.post(admitted: events)
        }
    }

    /// For timely work that must not wait for a completion that blocks.
    let timerQueue = DispatchQueue(label: "push.delivery.timer", target: .global(qos: .userInteractive))

    /// Runs a block after everything delivered so far.
    func afterwards(_ block: @escaping @Sendable () -> Void) {
        refusals.endBatch()
        queue.async(execute: block)
    }
}
