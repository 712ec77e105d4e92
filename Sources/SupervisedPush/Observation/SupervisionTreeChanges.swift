import PushLocking

/// The supervision tree as it changes: an asynchronous sequence of ``SupervisionTree``.
///
/// ```swift
/// for await tree in runtime.supervisionTreeChanges {
///     print(tree)
/// }
/// ```
/// The first element is the tree at that moment. Another one follows when a connection or a pool begins, ends, is
/// restarted or changes its phase. Pushes alone change nothing here: loads and counters are those of the moment when the
/// element is made.
///
/// Nothing is queued. A reader that is slow misses states and gets the newest one. Every iterator gets the tree for
/// itself, and any thread may make one. The sequence ends after the runtime's shutdown, with the empty tree as its last
/// element, or when the runtime is released. It does not keep the runtime alive.
public struct SupervisionTreeChanges: AsyncSequence, Sendable {
    /// A state of the tree.
    public typealias Element = SupervisionTree
    /// Following the tree does not fail.
    public typealias Failure = Never

    let signal: TreeSignal
    let reader: TreeReader

    /// Starts following.
    public func makeAsyncIterator() -> Iterator {
        Iterator(changes: signal.follow().makeAsyncIterator(), reader: reader)
    }

    /// Waits for the next state.
    public struct Iterator: AsyncIteratorProtocol {
        /// A state of the tree.
        public typealias Element = SupervisionTree
        /// Following the tree does not fail.
        public typealias Failure = Never

        fileprivate var changes: AsyncStream<Void>.Iterator
        fileprivate let reader: TreeReader

        /// The newest state, once it differs from the last one; nil at the end, or if the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> SupervisionTree? {
            await changes.next(isolation: actor) == nil ? nil : reader.tree
        }
    }
}

/// Tells those who follow the supervision tree that it has changed.
final class TreeSignal: Sendable {
    private struct State {
        var followers: [Int: AsyncStream<Void>.Continuation] = [:]
        var last = 0
        var isOver = false
    }

    private let state = Locked(State())

    var followerCount: Int { state.withLock { $0.followers.count } }

    /// The tree has changed. Called without any lock that a reader of the tree takes.
    func changed() {
        for follower in state.withLock({ $0.followers }).values { follower.yield() }
    }

    /// The tree changes no more.
    func finish() {
        let followers = state.withLock { state in
            state.isOver = true
            defer { state.followers = [:] }
            return state.followers
        }
        for follower in followers.values {
            follower.yield()
            follower.finish()
        }
    }

    /// One element at once, and then one when the tree has changed since the last one was taken.
    func follow() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield()
        let number = state.withLock { state -> Int? in
            guard !state.isOver else { return nil }
            state.last += 1
            state.followers[state.last] = continuation
            return state.last
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            let gone = self?.state.withLock { $0.followers.removeValue(forKey: number) }
            // Released here, without the lock.
            withExtendedLifetime(gone) {}
        }
        return stream
    }
}
