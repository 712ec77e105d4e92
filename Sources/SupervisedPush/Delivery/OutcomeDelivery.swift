import Dispatch

/// Calls completions in batches, on a queue of the connection that is never its process's own.
///
/// Outcomes keep the order in which they were added. The queue's threads come from another pool than the processes', so
/// that a completion that blocks delays nobody's connection.
final class OutcomeDelivery: Sendable {
    /// What one drain of the process brought.
    struct Batch {
        var completions: [(call: @Sendable (OutcomeSink.Outcome) -> Void, outcome: OutcomeSink.Outcome)] = []
        /// What the pushes of those completions weigh until they have returned.
        var bytes = 0
        var feedback: [FeedbackEvent] = []
        var isEmpty: Bool { completions.isEmpty && feedback.isEmpty }

        mutating func add(
            _ call: @escaping @Sendable (OutcomeSink.Outcome) -> Void, _ outcome: OutcomeSink.Outcome,
            _ record: PushRecord
        ) {
            completions.append((call, outcome))
            bytes += record.size
        }
    }

    private let queue: DispatchQueue
    private let feedback: FeedbackDelivery?
    /// For pushes that were refused at the call: theirs come behind those delivered so far, while there is room for them.
    let refusals: RefusalDelivery

    init(label: String, feedback: FeedbackDelivery?) {
        queue = DispatchQueue(label: label, target: .global(qos: .userInitiated))
        self.feedback = feedback
        refusals = RefusalDelivery(on: queue)
        RuntimeQueue.mark(queue)
    }

    /// Calls the batch's completions, then the feedback handler; tells the intake how many completions have returned.
    func deliver(_ batch: sending Batch, _ intake: Intake) {
        let feedback = feedback
        queue.async { [batch] in
            for (call, outcome) in batch.completions { call(outcome) }
            if !batch.completions.isEmpty { intake.delivered(batch.completions.count, bytes: batch.bytes) }
            for event in batch.feedback { feedback?.post(event) }
        }
    }

    /// For what has to be done in time and must not wait for a completion that blocks.
    let timerQueue = DispatchQueue(label: "push.delivery.timer", target: .global(qos: .userInteractive))

    /// Runs a block after everything delivered so far.
    func afterwards(_ block: @escaping @Sendable () -> Void) { queue.async(execute: block) }
}
