/// The source of a bulk. One task reads it, once, so the caller's elements are used only there.
protocol BulkSource: AnyObject, Sendable {
    /// Reads as the run allows, until the source or the run ends.
    func feed(_ run: BulkRun) async
}

extension BulkRun {
    /// Offers what `next` reads and issues, without suspending within a run, until the source or the run ends. It hears
    /// how many the run may still have.
    ///
    /// - Parameter batch: What was read and is not offered yet. Of a source that never waits for its elements, or offers
    ///   them before it does, several are offered together: connections are then woken once for all of them.
    func feed(_ batch: BulkBatch, _ next: (_ most: Int) -> (record: PushRecord, index: Int)?) async {
        while let limit = await nextGrant() {
            var count = 0
            var goesOn = mayRead
            while goesOn, count < limit {
                guard let (record, index) = next(limit - count) else {
                    batch.offer(to: self)
                    return sourceEnded(read: count)
                }
                count += 1
                goesOn = batch.add(record, index, to: self)
            }
            batch.offer(to: self)
            ran(read: count)
        }
    }
}

/// Pushes that were read and are not offered yet, used by the reader alone.
final class BulkBatch {
    private let size: Int
    /// One reader uses it: checking that for each push would cost 100 instructions.
    @exclusivity(unchecked) private var pushes: [(record: PushRecord, index: Int)] = []

    /// - Parameter size: How many are offered together.
    init(size: Int) { self.size = size }

    /// Adds a push, and offers the batch if it is full; false if the run must end.
    func add(_ record: PushRecord, _ index: Int, to run: BulkRun) -> Bool {
        pushes.append((record, index))
        return pushes.count < size || offer(to: run)
    }

    /// Offers what was read; false if the run must end.
    @discardableResult
    func offer(to run: BulkRun) -> Bool {
        defer { pushes.removeAll(keepingCapacity: true) }
        return run.offer(pushes)
    }
}

/// A sequence as a source.
final class SequenceSource<Elements: Sequence>: BulkSource, @unchecked Sendable {
    // Sendable: the elements were sent here, and only `feed` touches them.
    private let elements: Elements
    private let item: @Sendable (Elements.Element) -> BulkItem

    /// - Parameter item: Makes an item of an element, as it is read.
    init(_ elements: sending Elements, _ item: @escaping @Sendable (Elements.Element) -> BulkItem) {
        self.elements = elements
        self.item = item
    }

    func feed(_ run: BulkRun) async {
        var iterator = elements.makeIterator()
        var index = 0
        // It may wait for its next element at any time.
        await run.feed(BulkBatch(size: 1)) { _ in
            guard let element = iterator.next() else { return nil }
            defer { index += 1 }
            return (run.issue(item(element)), index)
        }
    }
}

/// An asynchronous sequence as a source.
final class AsyncSequenceSource<Elements: AsyncSequence>: BulkSource, @unchecked Sendable {
    // Sendable: the elements were sent here, and only `feed` touches them.
    private let elements: Elements
    private let item: @Sendable (Elements.Element) -> BulkItem

    /// - Parameter item: Makes an item of an element, as it is read.
    init(_ elements: sending Elements, _ item: @escaping @Sendable (Elements.Element) -> BulkItem) {
        self.elements = elements
        self.item = item
    }

    func feed(_ run: BulkRun) async {
        var iterator = elements.makeAsyncIterator()
        var index = 0
        while let limit = await run.nextGrant() {
            var count = 0
            var goesOn = run.mayRead
            while goesOn, count < limit {
                do {
                    guard let element = try await iterator.next() else { return run.sourceEnded(read: count) }
                    goesOn = run.offer([(run.issue(item(element)), index)])
                    (count, index) = (count + 1, index + 1)
                } catch {
                    return run.sourceFailed(error, read: count)
                }
            }
            run.ran(read: count)
        }
    }
}

/// What a bulk sends: an element of its source.
enum BulkItem: Sendable {
    case push(Push)
    case broadcast(Broadcast)
}

/// The outcome of an item.
package struct BulkResult: Sendable {
    /// Its position in the source, or the number that the source gave it.
    package let index: Int
    let record: PushRecord
    package let result: Result<PushResponse, PushError>
    /// How often it was written.
    package let attempts: Int
    /// How a push ended after all whose result was not final; nil for the result itself. Only numbered pushes have it: see
    /// ``PushConnection/bulk(numbered:options:)``.
    package var late: LateResponse.Outcome?
    /// False if a second result with the late end follows.
    package var isFinal = true

    package var apnsID: APNSID? { record.apnsID }
    /// Nil for a broadcast.
    package var deviceToken: DeviceToken? { record.head.deviceToken }
}

extension Outbox {
    func issue(_ item: BulkItem, _ options: PushOptions) -> PushRecord {
        switch item {
        case .push(let push): issue(push, options: options)
        case .broadcast(let broadcast): issue(broadcast, options: options)
        }
    }
}

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
            return (run.issue(push), number)
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
