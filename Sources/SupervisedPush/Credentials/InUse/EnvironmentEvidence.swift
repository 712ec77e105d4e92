/// What the answers to one credential say about the environment: whether it is the one that the device tokens are for.
///
/// In the wrong one, APNs answers BadDeviceToken for every token. So it is suspected until it is **proven** for a topic:
/// an accepted push (200), or a token that was valid before (410), shows that APNs knows the topic's devices there. Each
/// topic needs its own proof, because one app's tokens may come from development builds and another's from the store.
struct EnvironmentEvidence {
    /// How many topics are remembered as proven; beyond that, one of them must be proven again.
    static let mostTopics = 1_000

    private(set) var share = EnvironmentSuspicion()
    private var proven: Set<Topic?> = []

    /// An answer to a push of this topic proved the environment.
    mutating func prove(_ topic: Topic?) {
        if proven.count >= Self.mostTopics, !proven.contains(topic) { proven.removeFirst() }
        proven.insert(topic)
    }

    /// Counts answers in their order: first `others`, then perhaps one BadDeviceToken.
    mutating func count(others: Int, isBad: Bool) {
        share.countOthers(others)
        if isBad { share.countBad() }
    }

    /// Whether BadDeviceToken for a token of this topic probably comes from the wrong environment.
    func suspects(_ topic: Topic?) -> Bool { !proven.contains(topic) || share.isSuspected }
}
