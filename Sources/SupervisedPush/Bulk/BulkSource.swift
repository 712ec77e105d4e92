/// What a bulk reads from. One task reads it, once: what the caller sent along is used there alone.
protocol BulkSource: AnyObject, Sendable {
    /// Reads as the run allows, until the source or the run ends.
    func feed(_ run: BulkRun) async
}

/// A sequence as a source: it is read without a suspension within a run.
final class SequenceSource<Elements: Sequence>: BulkSource, @unchecked Sendable {
    // Sendable: the elements were sent here, and only `feed` touches them.
    private let elements: Elements
    private let item: @Sendable (Elements.Element) -> BulkItem

    /// - Parameter item: Makes what is sent of an element, as it is read.
    init(_ elements: sending Elements, _ item: @escaping @Sendable (Elements.Element) -> BulkItem) {
        self.elements = elements
        self.item = item
    }

    func feed(_ run: BulkRun) async {
        var iterator = elements.makeIterator()
        while let limit = await run.nextGrant() {
            var count = 0
            var goesOn = run.mayRead
            while goesOn, count < limit {
                guard let element = iterator.next() else { return run.sourceEnded(read: count) }
                count += 1
                goesOn = run.offer(item(element))
            }
            run.ran(read: count)
        }
    }
}

/// An asynchronous sequence as a source.
final class AsyncSequenceSource<Elements: AsyncSequence>: BulkSource, @unchecked Sendable {
    // Sendable: the elements were sent here, and only `feed` touches them.
    private let elements: Elements
    private let item: @Sendable (Elements.Element) -> BulkItem

    /// - Parameter item: Makes what is sent of an element, as it is read.
    init(_ elements: sending Elements, _ item: @escaping @Sendable (Elements.Element) -> BulkItem) {
        self.elements = elements
        self.item = item
    }

    func feed(_ run: BulkRun) async {
        var iterator = elements.makeAsyncIterator()
        while let limit = await run.nextGrant() {
            var count = 0
            var goesOn = run.mayRead
            while goesOn, count < limit {
                do {
                    guard let element = try await iterator.next() else { return run.sourceEnded(read: count) }
                    count += 1
                    goesOn = run.offer(item(element))
                } catch {
                    return run.sourceFailed(error, read: count)
                }
            }
            run.ran(read: count)
        }
    }
}
