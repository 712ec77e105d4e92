import PushLocking
import SupervisedPush

/// Pushes and broadcasts in bulk, recorded like single ones. Each is read, recorded and answered when its outcome is asked for.
extension RecordingPushes: BulkSending {
    /// Records all elements of a sequence.
    public func bulk<Source: Sequence>(
        _ pushes: sending Source, options: BulkOptions = BulkOptions()
    ) -> RecordedBulk<BulkOutcome> where Source.Element == Push {
        recorded(SequenceReader(pushes), options: options)
    }

    /// Records all elements of an asynchronous sequence.
    public func bulk<Source: AsyncSequence>(
        _ pushes: sending Source, options: BulkOptions = BulkOptions()
    ) -> RecordedBulk<BulkOutcome> where Source.Element == Push {
        recorded(AsyncSequenceReader(pushes), options: options)
    }

    /// Records all broadcasts of a sequence.
    public func bulk<Source: Sequence>(
        _ broadcasts: sending Source, options: BulkOptions = BulkOptions()
    ) -> RecordedBulk<BulkBroadcastOutcome> where Source.Element == Broadcast {
        recorded(SequenceReader(broadcasts), options: options)
    }

    /// Records all broadcasts of an asynchronous sequence.
    public func bulk<Source: AsyncSequence>(
        _ broadcasts: sending Source, options: BulkOptions = BulkOptions()
    ) -> RecordedBulk<BulkBroadcastOutcome> where Source.Element == Broadcast {
        recorded(AsyncSequenceReader(broadcasts), options: options)
    }

    private func recorded(_ pushes: some ElementReader<Push>, options: BulkOptions) -> RecordedBulk<BulkOutcome> {
        RecordedBulk(pushes) { BulkOutcome(index: $0, push: $1, result: self.record($1, options: options.push)) }
    }

    private func recorded(
        _ broadcasts: some ElementReader<Broadcast>, options: BulkOptions
    ) -> RecordedBulk<BulkBroadcastOutcome> {
        RecordedBulk(broadcasts) {
            BulkBroadcastOutcome(index: $0, broadcast: $1, result: self.record($1, options: options.push))
        }
    }
}

/// The outcomes of a bulk over a fake, see ``RecordingPushes``. It can be iterated once: a second loop goes on where the first ended.
public struct RecordedBulk<Outcome: Sendable>: AsyncSequence, Sendable {
    /// How one element of the source ended.
    public typealias Element = Outcome
    /// The error of the source.
    public typealias Failure = any Error

    private let next: @Sendable () async throws -> Outcome?

    init<Reader: ElementReader>(
        _ reader: Reader, outcome: @escaping @Sendable (_ index: Int, Reader.Element) -> Outcome
    ) {
        let count = Locked(0)
        next = {
            guard let element = try await reader.next() else { return nil }
            let index = count.withLock { count in
                defer { count += 1 }
                return count
            }
            return outcome(index, element)
        }
    }

    /// The iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(read: next) }

    /// Reads, records and answers one element after the other. Must not be used by two tasks at a time.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let read: @Sendable () async throws -> Outcome?

        /// The next outcome; nil at the end of the source.
        ///
        /// - Throws: The error of the source; `CancellationError` if the task was cancelled.
        public mutating func next() async throws -> Outcome? {
            try Task.checkCancellation()
            return try await read()
        }
    }
}

/// Reads a source from its begin to its end.
protocol ElementReader<Element>: Sendable {
    associatedtype Element

    func next() async throws -> Element?
}

// Sendable: a bulk is read by one task at a time, and the source was handed over to it.
private final class SequenceReader<Source: Sequence>: ElementReader, @unchecked Sendable {
    // Sendable: the source was sent here, and an iterator is used by one task at a time.
    private var iterator: Source.Iterator

    init(_ source: sending Source) { iterator = source.makeIterator() }

    func next() async -> Source.Element? { iterator.next() }
}

// Sendable: a bulk is read by one task at a time, and the source was handed over to it.
private final class AsyncSequenceReader<Source: AsyncSequence>: ElementReader, @unchecked Sendable {
    // Sendable: the source was sent here, and an iterator is used by one task at a time.
    private var iterator: Source.AsyncIterator

    init(_ source: sending Source) { iterator = source.makeAsyncIterator() }

    func next() async throws -> Source.Element? {
        var iterator = iterator
        defer { self.iterator = iterator }
        return try await iterator.next()
    }
}
