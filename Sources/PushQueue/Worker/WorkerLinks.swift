import ProcessRuntime
import SupervisedPush

/// What a worker needs of its connection or pool.
struct WorkerLinks: Sendable {
    /// How many more pushes are handed over than a link takes at a time, so that it never runs dry.
    private static let reserve = 256

    let connection: PushConnection
    private let maxTokens: Int

    init(_ connection: PushConnection, maxTokens: Int?) {
        self.connection = connection
        self.maxTokens = max(1, maxTokens ?? .max)
    }

    /// How many pushes it takes, those in flight included; 0 while no link is up.
    var room: Int {
        let limits = connection.members.map(\.status).filter { $0.phase == .up }.map(\.streamLimit)
        guard !limits.isEmpty else { return 0 }
        let sum = limits.reduce(0) { $0 + $1 + Self.reserve }
        return min(sum, maxTokens, max(1, connection.load.limit))
    }

    /// Whether it takes no pushes any more.
    var hasEnded: Bool { connection.status.phase == .ended }

    /// Calls back with each message of the connection, and with nil once there are no more.
    func watch(
        _ mailbox: Mailbox<LifecycleMessage>, _ hear: @escaping @Sendable (LifecycleMessage?) -> Void
    ) -> Task<Void, Never> {
        let isOpen = (try? connection.subscribe(mailbox)) != nil
        return Task {
            if isOpen { for await message in mailbox { hear(message) } }
            hear(nil)
        }
    }
}
