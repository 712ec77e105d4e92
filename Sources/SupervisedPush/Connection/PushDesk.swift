import ProcessRuntime
import PushHTTP2

/// What a process holds in its hands for every push: the encoder, and what a drain gathers until its end.
///
/// In one place, because each access to a property of a class is checked for exclusivity: so a push that is written,
/// and one that ends, costs one check.
struct PushDesk {
    var encoder: RequestEncoder
    var gathering: WriteGathering
    var changes = RoomChanges()
    var outcomes = OutcomeDelivery.Batch()
    var tally = BurstTally()
    /// The number of the provider token that was written last; 0 before the first, and with a certificate.
    private(set) var tokenIssue: UInt32 = 0
    /// How many of the outcomes the room knows, and their bytes.
    private var countedOutcomes = 0
    private var countedBytes = 0

    init(encoder: RequestEncoder, gathering: WriteGathering) {
        self.encoder = encoder
        self.gathering = gathering
    }

    /// What became of a push that was to be written.
    enum Writing {
        /// The session has it.
        case kept
        /// The session has it, and so much that it should be written now.
        case mayLeave
        /// It cannot be made, and nothing of it was written.
        case unsendable(UnsendablePush)
        /// The link does not take it.
        case failed(LinkFailure)
    }

    /// Gives the push to the session of its link as the stream that was counted for it. A link that is gone takes it,
    /// too: what becomes of it then, its loss says.
    mutating func write(
        _ record: PushRecord, slot: Int32, as streamID: PushStreamID, on link: Link?, isFirst: Bool,
        _ now: MonotonicInstant
    ) -> Writing {
        guard let link else {
            changes.opened.append((record, streamID))
            return .kept
        }
        do {
            let token = try encoder.encode(record.head, now, &link.headers)
            record.tokenIssue = token?.number ?? 0
            tokenIssue = token?.number ?? tokenIssue
        } catch {
            // The stream has its number already, and so have those behind it.
            link.skipStream()
            return .unsendable(error)
        }
        changes.opened.append((record, streamID))
        tally.wrote(streamID.stream, on: link.id, again: !isFirst)
        do {
            let given = try link.submit(encoder.fields, body: record.notification.payload.bytes, slot: slot)
            guard given == streamID.stream else { throw StreamMismatch() }
        } catch {
            return .failed(LinkFailure(.http2, "The request could not be written: \(error)"))
        }
        return gathering.submitted(payload: record.size, now) ? .mayLeave : .kept
    }

    private struct StreamMismatch: Error, CustomStringConvertible {
        var description: String { "The session gave another stream than the connection counted." }
    }

    /// Counts the end of a push, and keeps its outcome if that is delivered at the end of the drain; false if it is
    /// not.
    ///
    /// Who waits for it is resumed by whoever called: with no access to the desk under way, because that runs other
    /// code.
    mutating func finish(
        _ record: PushRecord, _ outcome: OutcomeSink.Outcome, _ now: MonotonicInstant
    ) -> Bool {
        changes.ended += 1
        if case .success(let response) = outcome, response.isSuccess { changes.accepted += 1 }
        tally.ended(record, outcome, now)
        return outcomes.add(outcome, of: record)
    }

    /// Counts the outcomes that came since the last time: until they are taken they take room.
    mutating func countOutcomes() {
        changes.undelivered += outcomes.count - countedOutcomes
        changes.undeliveredBytes += outcomes.bytes - countedBytes
        (countedOutcomes, countedBytes) = (outcomes.count, outcomes.bytes)
    }

    /// Takes what is to be delivered.
    mutating func takeOutcomes() -> OutcomeDelivery.Batch {
        guard !outcomes.isEmpty else { return OutcomeDelivery.Batch() }
        // Those that came since the last exchange: the next one brings them.
        countOutcomes()
        (countedOutcomes, countedBytes) = (0, 0)
        defer { outcomes = OutcomeDelivery.Batch() }
        return outcomes
    }

    /// Whether something came that the room does not know.
    var hasNews: Bool { !changes.isEmpty || outcomes.count > countedOutcomes }
}
