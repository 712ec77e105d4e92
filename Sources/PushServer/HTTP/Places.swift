import Synchronization

/// A bounded number of places for those who wait.
final class Places: Sendable {
    private let most: Int
    private let count = Atomic(0)

    init(most: Int) { self.most = most }

    var taken: Int { count.load(ordering: .relaxed) }

    /// Takes a place; false if there is none.
    func take() -> Bool {
        guard count.add(1, ordering: .relaxed).newValue <= most else {
            leave()
            return false
        }
        return true
    }

    func leave() { count.subtract(1, ordering: .relaxed) }
}
