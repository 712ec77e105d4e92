import Synchronization

/// Tells a pool's process of pushes that are called while it does not check loads.
///
/// It is a separate object, because others refer to the pool weakly, which makes each count of its references slow.
final class PoolUse: Sendable {
    private let life: Life<PoolMessage>
    /// True while the process checks loads.
    private let isWatched = Atomic<Bool>(false)

    init(_ life: Life<PoolMessage>) { self.life = life }

    /// A push is called.
    func begins() {
        if !isWatched.load(ordering: .relaxed), !isWatched.exchange(true, ordering: .relaxed) { life.tell(.busy) }
    }

    /// Loads are not checked any more; the next push starts the checks again.
    func isUnwatched() { isWatched.store(false, ordering: .relaxed) }
}
