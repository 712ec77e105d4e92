/// The source of a bulk. One task reads it, once, so the caller's elements are used only there.
protocol BulkSource: AnyObject, Sendable {
    /// Reads as the run allows, until the source or the run ends.
    func feed(_ run: BulkRun) async
}

extension BulkRun {
    /// Offers what `next` returns, without suspending within a run, until the source or the run ends. It is told how many
    /// the run may still have.
    ///
    /// - Parameter batch: What was read and is not offered yet. Of a source that never waits for its elements, or offers
    ///   them before it does, several are offered together: connections are then woken once for all of them.
    func feed(_ batch: BulkBatch, _ next: (_ most: Int) -> (item: BulkItem, index: Int)?) async {
        while let limit = await nextGrant() {
            var count = 0
            var goesOn = mayRead
            while goesOn, count < limit {
                guard let (item, index) = next(limit - count) else {
                    batch.offer(to: self)
                    return sourceEnded(read: count)
                }
                count += 1
                goesOn = batch.add(issue(item), index, to: self)
            }
            batch.offer(to: self)
            ran(read: count)
        }
    }
}

/// Pushes that were read and are not offered yet, used by the reader alone.
final class BulkBatch {
    private let size: Int
    private var pushes: [(record: PushRecord, index: Int)] = []

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
            return (item(element), index)
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
