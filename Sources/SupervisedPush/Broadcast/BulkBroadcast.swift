/// The outcomes of many broadcasts, see ``Bulk``.
///
/// ```swift
/// let goals = matches.map { Broadcast($0.update, to: $0.channel, context: $0.id) }
/// for try await outcome in runtime.broadcast(name: "live", contentsOf: goals) where outcome.isChannelGone {
///     await forget(outcome.broadcast.channel)
/// }
/// ```
public typealias BulkBroadcast = Bulk<BulkBroadcastOutcome>

/// How one broadcast of a bulk ended.
public struct BulkBroadcastOutcome: Sendable {
    /// Its position in the source, from 0.
    public let index: Int
    /// The broadcast with its context, and with the bundle id that it went out for.
    public let broadcast: Broadcast
    /// The broadcast's number, as a ``LateResponse`` has it.
    public let pushID: PushID
    /// The answer, or why there is none. A rejection is an answer, see `PushResponse`.
    public let result: Result<PushResponse, PushError>
    /// How often it was written: 0 if it never was, more than 1 if it was sent again.
    public let attempts: Int

    /// Whether APNs said that there is no such channel.
    public var isChannelGone: Bool { (try? result.get())?.advice == .forgetChannel }

    init?(_ result: BulkResult) {
        guard let broadcast = result.record.broadcast else { return nil }
        index = result.index
        self.broadcast = broadcast
        pushID = result.record.id
        self.result = result.result
        attempts = result.attempts
    }
}

/// Broadcasts in bulk: to any number of channels in constant memory.
extension PushRuntime {
    /// Broadcasts everything a sequence has; see `push(name:contentsOf:options:)`.
    ///
    /// - Parameters:
    ///   - name: the connection or pool; an unknown name is thrown by the iteration.
    ///   - broadcasts: what to send, each with its channel and, if you like, a context.
    ///   - options: how fast, how long an outage may last, and the options of each broadcast.
    /// - Returns: the outcomes, in the order they come; reading begins when the first is asked for.
    public func broadcast<Broadcasts: Sequence & Sendable>(
        name: String, contentsOf broadcasts: Broadcasts, options: BulkOptions = BulkOptions()
    ) -> BulkBroadcast where Broadcasts.Element == Broadcast {
        bulk(.name(name), SequenceSource(broadcasts) { .broadcast($0) }, options)
    }

    /// Broadcasts everything an asynchronous sequence gives; see `broadcast(name:contentsOf:options:)`.
    public func broadcast<Broadcasts: AsyncSequence & Sendable>(
        name: String, contentsOf broadcasts: Broadcasts, options: BulkOptions = BulkOptions()
    ) -> BulkBroadcast where Broadcasts.Element == Broadcast {
        bulk(.name(name), AsyncSequenceSource(broadcasts) { .broadcast($0) }, options)
    }

    /// Broadcasts everything a sequence has through the connection or pool of this pid; see `broadcast(name:contentsOf:options:)`.
    public func broadcast<Broadcasts: Sequence & Sendable>(
        _ pid: ProcessID, contentsOf broadcasts: Broadcasts, options: BulkOptions = BulkOptions()
    ) -> BulkBroadcast where Broadcasts.Element == Broadcast {
        bulk(.pid(pid), SequenceSource(broadcasts) { .broadcast($0) }, options)
    }

    /// Broadcasts everything an asynchronous sequence gives through the connection or pool of this pid;
    /// see `broadcast(name:contentsOf:options:)`.
    public func broadcast<Broadcasts: AsyncSequence & Sendable>(
        _ pid: ProcessID, contentsOf broadcasts: Broadcasts, options: BulkOptions = BulkOptions()
    ) -> BulkBroadcast where Broadcasts.Element == Broadcast {
        bulk(.pid(pid), AsyncSequenceSource(broadcasts) { .broadcast($0) }, options)
    }

    private func bulk(_ target: PushTarget, _ source: any BulkSource, _ options: BulkOptions) -> BulkBroadcast {
        BulkBroadcast(BulkLaunch(self, target, source, options), BulkBroadcastOutcome.init)
    }
}
