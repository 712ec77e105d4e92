/// Pushes that have numbers from their source, by which their outcomes are known again. A context would cost two
/// allocations for each push: its own, and another for the answer that carries it.
package protocol NumberedPushes: AnyObject, Sendable {
    /// The next push; nil at the end.
    ///
    /// - Parameter most: How many pushes are asked for in this run, with this one. A source that prepares several at a
    ///   time prepares no more.
    func next(most: Int) -> (push: Push, number: Int)?

    /// Called once before the first push. The pushes that it returns are offered together, so before it waits for its
    /// input it must call `offer`, which offers those that it has returned.
    func beforeWaiting(_ offer: @escaping () -> Void)
}

/// Numbered pushes as a source.
final class NumberedSource: BulkSource {
    private let pushes: any NumberedPushes

    /// How many pushes are offered together.
    private static let batch = 128

    init(_ pushes: any NumberedPushes) { self.pushes = pushes }

    func feed(_ run: BulkRun) async {
        let batch = BulkBatch(size: Self.batch)
        pushes.beforeWaiting { batch.offer(to: run) }
        await run.feed(batch) { most in
            guard let (push, number) = pushes.next(most: most) else { return nil }
            return (.push(push), number)
        }
    }
}

extension PushConnection {
    /// Pushes all elements of a source that numbers them; see ``bulk(_:options:)``. The index of each outcome
    /// is the number. A push that timed out in flight has a second result, with its late end, if that comes before the end
    /// of the bulk.
    package func bulk(numbered pushes: any NumberedPushes, options: BulkOptions = BulkOptions()) -> BulkPush {
        BulkPush(BulkLaunch(self, NumberedSource(pushes), options, tellsLateEnds: true), BulkOutcome.init)
    }
}
