import PushLocking

/// The topics of apps that the team of a simulated APNs got while it runs. Its connections share them, and each keeps
/// those that there were at its first push.
final class AddedTopics: Sendable {
    private let topics = Locked<Set<String>>([])

    /// Those that there are now.
    var current: Set<String> { topics.withLock { $0 } }

    /// The team gets this app, with what the push types make of its topic.
    func add(_ topic: String) {
        let all = SimulatedTopics.derived(from: [topic])
        topics.withLock { $0.formUnion(all) }
    }
}
