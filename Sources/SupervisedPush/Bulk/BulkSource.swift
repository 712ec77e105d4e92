/// The source of a bulk. One task reads it, once, so the caller's elements are used only there.
protocol BulkSource: AnyObject, Sendable {
    /// Reads as the run allows, until the source or the run ends.
    func feed(_ run: BulkRun) async
}

/// A sequence as a source. Within a run it is read without suspending.
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

    /// - Parameter item: Makes an item of an element, as it is read.
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
