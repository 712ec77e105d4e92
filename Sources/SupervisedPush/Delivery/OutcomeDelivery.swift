import Dispatch

/// Calls completions in batches, and collectors once per batch, on a queue of the connection that is never its
/// process's own.
///
/// Outcomes keep the order in which they were added. The queue's threads come from a different pool than the processes'
/// (see `DispatchQueue.forCallers`), so a completion that blocks delays no connection.
final class OutcomeDelivery: Sendable {
    /// An outcome and its receiver. Not a tuple: in an array, each tuple would cost another closure.
    struct Completion {
        let call: @Sendable (OutcomeReceiver.Outcome) -> Void
        let outcome: OutcomeReceiver.Outcome
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
        var feedback: [FeedbackEvent] = []
        var isEmpty: Bool { count == 0 && feedback.isEmpty }

        /// Adds an outcome whose receiver is called in batches; false if it is not.
        mutating func add(_ outcome: OutcomeReceiver.Outcome, of record: PushRecord) -> Bool {
            switch record.outcome {
            case .completion(let call): add(call, outcome, record)
            case .collector(let collector, let ticket): add(collector, ticket, outcome, record)
            case .task, .thread, .nobody: return false
            }
            return true
        }

        private mutating func add(
            _ call: @escaping @Sendable (OutcomeReceiver.Outcome) -> Void, _ outcome: OutcomeReceiver.Outcome,
            _ record: PushRecord
        ) {
            completions.append(Completion(call: call, outcome: outcome))
            count += 1
            bytes += record.size
        }

        private mutating func add(
            _ collector: any OutcomeCollector, _ ticket: Int, _ outcome: OutcomeReceiver.Outcome, _ record: PushRecord
        ) {
            let settled = SettledPush(record: record, ticket: ticket, outcome: outcome)
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

    /// Calls the batch's completions, then the feedback handler; tells the room how many completions have returned.
    func deliver(_ batch: sending Batch, _ room: SharedWaitingRoom) {
        let feedback = feedback
        refusals.endBatch()
        queue.async { [batch] in
            let completions = batch.completions
            for index in completions.indices { completions[index].call(completions[index].outcome) }
            for (collector, settled) in batch.collected { collector.collect(room.countingAttempts(settled)) }
            if batch.count > 0 { room.delivered(batch.count, bytes: batch.bytes) }
            for event in batch.feedback { feedback?.post(event) }
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
