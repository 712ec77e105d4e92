import Dispatch
import PushLocking
import PushTerminal
import SupervisedPush

/// The run of a campaign: reads its records, pushes them over a connection, and writes their rows.
///
/// It may be stopped before it begins. All calls may be made from any thread.
package final class CampaignRun: Sendable {
    /// The number of records read while no link is up, without a rate: as many as one link takes at once, plus the
    /// library's reserve. They are ready when it comes up.
    private static let readAhead = 1_256

    /// How it pushes.
    package struct Pace: Sendable {
        package var rate: PushRate?
        /// How long no link may be up, or APNs may refuse the sender or not serve.
        package var maxOutage = Duration.seconds(300)
        /// How long pushes under way may take to end once the run is stopped.
        package var drain = Duration.seconds(10)
        package var resendsRefused = true
        /// Called when the run pauses because of an answer, for each probe, and with nil once it goes on.
        package var onPause: (@Sendable (PushPause?) -> Void)?

        package init() {}
    }

    private struct State {
        var why: RunEnding?
        var book: OutcomeBook?
        var bulk: BulkPush?
        /// How long pushes under way may take, if it does not follow from the reason.
        var time: Duration?
    }

    private let source: RecordSource
    private let pace: Pace
    private let say: @Sendable (String) -> Void
    private let state = Locked(State())

    /// - Parameter say: Receives sentences about single records, and about columns that mean nothing.
    package init(_ source: RecordSource, _ pace: Pace, say: @escaping @Sendable (String) -> Void) {
        (self.source, self.pace, self.say) = (source, pace, say)
    }

    // MARK: The run

    /// Pushes all records, and writes their rows.
    ///
    /// - Parameters:
    ///   - content: What records get that have none of their own.
    ///   - files: Where the rows go. A journal's plan wins over `plan`.
    ///   - plan: Which records are pushed; nil for all.
    ///   - onRows: Receives the rows, too. It may block, which delays the run.
    /// - Returns: Why it ended before the end of its records, if it did.
    package func run(
        _ content: RecordContent, over connection: PushConnection, files: consuming sending CampaignFiles,
        plan: RecordPlan?, onRows: (@Sendable ([OutcomeRow]) -> Void)? = nil
    ) async -> RunEnding? {
        var pusher = RecordPusher(content)
        pusher.review = .ofFirstRecords(source.file.name, say: say)
        let (journaled, keepsIntents) = (files.plan, files.journal != nil)
        // Weak: the run keeps its book.
        let book = OutcomeBook(
            files, inputName: source.file.name, say: say, onRows: onRows,
            onWriteFailure: { [weak self] why in self?.stop(why) })
        source.prepare(pusher, book: book, plan: journaled ?? plan, keepsIntents: keepsIntents, say: say)
        let flushing = flushing(book)
        defer { flushing.cancel() }
        let failure = await push(book, over: connection)
        return why ?? failure
    }

    private func push(_ book: OutcomeBook, over connection: PushConnection) async -> RunEnding? {
        var options = BulkOptions(
            rate: pace.rate, maxOutage: pace.maxOutage, readAhead: Self.readAhead, resendsRefused: pace.resendsRefused)
        options.onPause = pace.onPause
        // The file alone: the bulk keeps this closure, and the source keeps the bulk.
        options.onStop = { [file = source.file] in file.stop() }
        let bulk = connection.bulk(numbered: source, options: options)
        let stopped = state.withLock { state in
            (state.book, state.bulk) = (book, bulk)
            return state.why.map { state.time ?? grace($0) }
        }
        if let stopped { bulk.stop(within: stopped) }
        // Rows may be written to a full pipe, so not on a shared thread.
        let taking = Task(executorPreference: QueueExecutor(label: "push.rows")) { [self] () -> RunEnding? in
            do {
                try await bulk.forEachBatch { outcomes in
                    if book.settle(&outcomes, self.why) { stop(.credentialRefused) }
                }
                return nil
            } catch {
                return RunEnding(error)
            }
        }
        return await taking.value
    }

    /// The rows of a slow campaign must not wait for a full buffer.
    private func flushing(_ book: OutcomeBook) -> any DispatchSourceTimer {
        let queue = DispatchQueue(label: "push.flush", target: .global(qos: .userInteractive))
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: .milliseconds(200), leeway: .milliseconds(50))
        timer.setEventHandler { book.flush() }
        timer.activate()
        return timer
    }

    // MARK: Stopping

    /// Why it ends early; nil if it does not.
    package var why: RunEnding? { state.withLock { $0.why } }

    /// Whether it pushes already.
    package var hasBegun: Bool { state.withLock { $0.bulk != nil } }

    /// Ends the reading. Pushes under way have some time to end; then they end with their certainty.
    ///
    /// - Parameter time: Nil: as the first reason has it.
    package func stop(_ why: RunEnding, within time: Duration? = nil) {
        let (time, bulk) = state.withLock { state in
            let first = state.why ?? why
            state.why = first
            state.time = time ?? state.time
            return (state.time ?? grace(first), state.bulk)
        }
        source.file.stop()
        bulk?.stop(within: time)
    }

    private func grace(_ why: RunEnding) -> Duration {
        switch why {
        case .stopped, .outputLost, .journalLost: pace.drain
        case .outage, .refused, .givenUp, .credentialRefused: .zero
        }
    }

    // MARK: How far it is

    /// How many pushes have no outcome yet. Takes no lock for long, because rows may wait for their reader.
    package var underWay: Int {
        let settled = state.withLock { $0.book }?.settledPushes ?? 0
        return max(0, source.position.pushes - settled)
    }

    /// The totals of this run.
    package var standing: OutcomeBook.Standing { state.withLock { $0.book }?.standing ?? OutcomeBook.Standing() }

    /// Writes what is left, once ``run(_:over:files:plan:onRows:)`` has returned.
    ///
    /// - Returns: How far the input was read, and a sentence about the records that were not named.
    package func finish() -> (reading: RecordSource.Position, remainder: String?) {
        let reading = source.end
        source.forgetRun()
        let book = state.withLock { $0.book }
        return (reading, book?.finish(unoffered: reading.unoffered, records: reading.recordsOfInput))
    }
}

extension RecordReview {
    /// Reports on the first records of an input.
    package static func ofFirstRecords(_ name: String, say: @escaping @Sendable (String) -> Void) -> RecordReview {
        RecordReview { line, finding in say("\(name), line \(line): payload: \(finding)") }
    }
}

extension RunEnding {
    /// The reason for an error at the end of a bulk.
    fileprivate init(_ error: any Error) {
        guard let error = error as? PushError else {
            self = .givenUp
            return
        }
        switch error.code {
        case .timedOut: self = error.layer == .apns ? .refused(.service) : .outage
        case .credentialRefused: self = error.deadline == .outage ? .refused(.sender) : .credentialRefused
        default: self = .givenUp
        }
    }
}

/// Why a run ended early.
package enum RunEnding: Sendable, Equatable {
    /// It was asked to.
    case stopped
    /// No link for the longest outage.
    case outage
    /// The server refuses the credential.
    case credentialRefused
    /// The server refused the sender of all pushes, or did not serve, for the longest outage.
    case refused(PushResponse.Subject)
    /// The library gave the connection up: its process failed again and again.
    case givenUp
    /// Rows can't be written any more.
    case outputLost
    /// The journal can't be written any more.
    case journalLost
}
