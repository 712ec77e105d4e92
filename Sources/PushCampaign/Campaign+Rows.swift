import SupervisedPush

extension Campaign {
    /// The rows of a campaign, in the order in which they become known.
    ///
    /// Who takes them slowly slows the campaign down. If the iterator is released, or its task is cancelled, no record is
    /// read any more, and pushes without an outcome end at once, with their certainty; their rows are still in the files.
    public struct Rows: AsyncSequence, Sendable {
        /// How one record ended.
        public typealias Element = OutcomeRow
        /// Why the campaign ended early.
        public typealias Failure = CampaignError

        private let campaign: Campaign

        init(_ campaign: Campaign) { self.campaign = campaign }

        /// The iterator, which runs the campaign; only the first one does.
        public func makeAsyncIterator() -> Iterator { Iterator(campaign) }

        /// Returns the rows. Must not be used by two tasks at a time.
        public struct Iterator: AsyncIteratorProtocol {
            /// Ends the campaign with the last copy of the iterator.
            private final class Lifetime {
                let channel = RowChannel()
                var campaign: Campaign?

                init(_ campaign: Campaign) { self.campaign = campaign }

                deinit { channel.abandon() }
            }

            private let lifetime: Lifetime

            init(_ campaign: Campaign) { lifetime = Lifetime(campaign) }

            /// The next row; nil after the last one.
            public mutating func next() async throws(CampaignError) -> OutcomeRow? { try await next(isolation: nil) }

            /// The next row. If one is there, the call does not leave the caller's actor.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(CampaignError) -> OutcomeRow? {
                let channel = lifetime.channel
                if Task.isCancelled { channel.abandon() }
                if let campaign = lifetime.campaign {
                    lifetime.campaign = nil
                    // Its files are read and written on a queue of its own.
                    Task(executorPreference: QueueExecutor(label: "push.campaign")) {
                        await campaign.run(into: channel)
                    }
                }
                return try await channel.next(isolation: actor)
            }
        }
    }
}
