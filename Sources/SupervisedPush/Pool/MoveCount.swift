import Synchronization

/// Counts how often pushes of a pool went from one connection to another: for who asks one connection after the other, and
/// must know whether a push went past him.
final class MoveCount: Sendable {
    private let begun = Atomic<Int>(0)
    private let ended = Atomic<Int>(0)

    /// Before the first connection forgets the pushes.
    func begin() { begun.wrappingAdd(1, ordering: .sequentiallyConsistent) }

    /// After the others know them.
    func end() { ended.wrappingAdd(1, ordering: .sequentiallyConsistent) }

    /// How many moves there have been; nil while one is under way.
    var settled: Int? {
        // In this order: a move that begins in between is seen as under way.
        let ended = ended.load(ordering: .sequentiallyConsistent)
        return begun.load(ordering: .sequentiallyConsistent) == ended ? ended : nil
    }
}
