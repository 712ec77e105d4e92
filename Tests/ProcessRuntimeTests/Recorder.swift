import PushLocking

/// What happened, in order, on whatever thread; a test awaits it without polling.
final class Recorder<Element: Sendable>: Sendable {
    private let stream: AsyncStream<Element>
    private let continuation: AsyncStream<Element>.Continuation
    private let seen = Locked<[Element]>([])

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func record(_ element: Element) {
        seen.withLock { $0.append(element) }
        continuation.yield(element)
    }

    /// The next `count` elements nobody awaited so far.
    func next(_ count: Int) async -> [Element] {
        var result: [Element] = []
        var iterator = stream.makeAsyncIterator()
        while result.count < count, let element = await iterator.next() { result.append(element) }
        return result
    }

    func next() async -> Element? { await next(1).first }

    /// Everything recorded up to now.
    var all: [Element] { seen.withLock { $0 } }
}
