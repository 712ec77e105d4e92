import SupervisedPush

extension Campaign {
    /// How a campaign runs. Every value has a default.
    public struct Configuration: Sendable {
        /// The highest rate; nil, the default: as fast as APNs accepts the pushes.
        public var rate: PushRate?
        /// How long no link may be up, or APNs may refuse the sender or not serve, before the campaign ends with an error.
        /// Default 300 s.
        public var maxOutage = Duration.seconds(300)
        /// A new file for the rows, as CSV, readable only by its owner. Nil, the default: no file. It must not exist, except
        /// with the ``journal`` to which it belongs.
        public var outcomes: String?
        /// A new file for the device tokens that APNs answers 410 for, with the time: what to delete. Nil, the default: no
        /// file. It must not exist, except with the ``journal`` to which it belongs.
        public var unregistered: String?
        /// A journal of what is about to be sent and of every outcome, which needs ``outcomes``. The same campaign goes on
        /// where a run ended, however it ended. Nil, the default: no journal.
        public var journal: String?
        /// Whether the ``journal`` waits for the disk before anything is sent, so that it survives a loss of power.
        /// Default false: it survives the end of the process.
        public var isDurable = false
        /// Whether pushes are pushed again of which an earlier run does not know what became, with the same `apns-id`.
        /// Default false: their rows are unknown, with the reason `interrupted`.
        public var resendsUnknown = false
        /// Whether pushes are pushed again that were refused for a reason of the sender or the service. Default true.
        public var resendsRefused = true
        /// Outcomes files of earlier runs over the same records: records that are done there are skipped. Not with a
        /// ``journal``, which knows it.
        public var skipDone: [String] = []
        /// What separates the columns of a CSV file: a sign of ASCII. Default a comma.
        public var delimiter: Character = ","
        /// How many records are read at most; nil, the default, for all.
        public var limit: Int?
        /// How long APNs keeps a push that has no expiration of its own or of the content, from when its record is read. Nil, the default: as the
        /// connection's defaults have it.
        public var timeToLive: Duration?
        /// Whether all records are checked first, and nothing is pushed if one is not valid, or if no device would
        /// understand its payload. Default false: each has its row.
        public var isStrict = false
        /// Called when the campaign pauses because APNs refuses the sender or does not serve, again for each probe that is
        /// refused, and with nil once it goes on. Called on any thread; it must not block.
        public var onPause: (@Sendable (PushPause?) -> Void)?
        /// Receives a sentence about each of the first records that are not pushed, about columns that mean nothing, and
        /// about payloads that no device would understand. Called on any thread.
        public var onRemark: (@Sendable (String) -> Void)?

        /// The defaults.
        public init() {}

        func check() throws(CampaignError) {
            if journal != nil, outcomes == nil {
                throw CampaignError(.configuration, "A journal needs outcomes: name a file for the rows.")
            }
            if journal != nil, !skipDone.isEmpty {
                throw CampaignError(.configuration, "A journal knows what is done: leave out skipDone.")
            }
            if RecordDelimiter.byte(String(delimiter)) == nil {
                throw CampaignError(.configuration, "delimiter separates no columns: \(RecordDelimiter.rule).")
            }
            try checkThatFilesDiffer()
            if let limit, limit < 1 { throw CampaignError(.configuration, "limit is \(limit): it must be 1 or more.") }
            if let timeToLive, !(.seconds(1)...(.seconds(2_592_000))).contains(timeToLive) {
                throw CampaignError(.configuration, "timeToLive must be 1 second to 30 days.")
            }
        }

        private func checkThatFilesDiffer() throws(CampaignError) {
            let files = [("outcomes", outcomes), ("unregistered", unregistered), ("journal", journal)]
                .compactMap { name, path in path.map { (name: name, path: AbsolutePath.of($0)) } }
            for (index, file) in files.enumerated() {
                guard let other = files[..<index].first(where: { $0.path == file.path }) else { continue }
                throw CampaignError(.configuration, "\(other.name) and \(file.name) can't be one file.")
            }
        }
    }
}
