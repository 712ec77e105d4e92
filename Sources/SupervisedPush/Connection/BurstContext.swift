import ProcessRuntime
import PushHTTP2
import PushTransport

/// The state that a process needs for every push: the encoder, and what a drain collects until its end.
///
/// It is one value, because each access to a property of a class is checked for exclusivity: a push that is written,
/// and one that ends, then cost one check.
struct BurstContext {
    var encoder: RequestEncoder
    var coalescer: WriteCoalescer
    var changes = RoomChanges()
    var outcomes = OutcomeDelivery.Batch()
    var tally = BurstTally()
    /// The number of the provider token written last; 0 before the first, and with a certificate.
    private(set) var tokenIssue: UInt32 = 0
    /// How many of the outcomes the room has counted, and their bytes.
    private var countedOutcomes = 0
    private var countedBytes = 0

    init(encoder: RequestEncoder, coalescer: WriteCoalescer) {
        self.encoder = encoder
        self.coalescer = coalescer
    }

    /// The result of writing a push.
    enum Writing {
        /// The session accepted it.
        case kept
        /// The session accepted it, and has enough output to be written now.
        case mayLeave
        /// The request cannot be made, and nothing of it was written.
        case unsendable(UnsendablePush)
        /// The link does not accept it.
        case failed(LinkFailure)
    }

    /// Gives the push to the session of its link, as the stream that was counted for it.
    mutating func write(
        _ record: PushRecord, slot: Int32, as streamID: PushStreamID, on link: Link, isFirst: Bool,
        _ now: MonotonicInstant
    ) -> Writing {
        do {
            let token = try link.encode(record.head, with: &encoder, now)
            record.tokenIssue = token?.number ?? 0
            tokenIssue = token?.number ?? tokenIssue
        } catch {
            // The stream and those after it have their numbers already.
            link.skipStream()
            return .unsendable(error)
        }
        changes.opened.append((record, streamID))
        tally.wrote(streamID.stream, on: link.id, again: !isFirst)
        do {
            let given = try link.submit(encoder.fields, body: record.notification.payload.bytes, slot: slot)
            guard given == streamID.stream else { throw StreamMismatch() }
        } catch {
            let cause = LinkFailure(.http2, "The request could not be written: \(error)")
            return .failed(link.speaksHTTP1 ? .http1 : cause)
        }
        return coalescer.submitted(payload: record.size, now) ? .mayLeave : .kept
    }

    private struct StreamMismatch: Error, CustomStringConvertible {
        var description: String { "The session used a different stream number than the connection." }
    }

    /// Counts the end of a push. Keeps its outcome if that is delivered at the end of the drain, or else returns it.
    ///
    /// In that case our caller resumes the receiver, after its access to this value has ended, because that runs other
    /// code.
    mutating func finish(
        _ record: PushRecord, with outcome: consuming OutcomeReceiver.Outcome, _ now: MonotonicInstant
    ) -> OutcomeReceiver.Outcome? {
        changes.ended += 1
        if case .success(let response) = outcome, response.isSuccess { changes.accepted += 1 }
        tally.ended(record, with: outcome, now)
        return outcomes.add(outcome, of: record)
    }

    /// Counts the outcomes since the last call: they take room until they are delivered.
    mutating func countOutcomes() {
        changes.undelivered += outcomes.count - countedOutcomes
        changes.undeliveredBytes += outcomes.bytes - countedBytes
        (countedOutcomes, countedBytes) = (outcomes.count, outcomes.bytes)
    }

    /// Removes and returns the outcomes to deliver.
    mutating func takeOutcomes() -> OutcomeDelivery.Batch {
        guard !outcomes.isEmpty else { return OutcomeDelivery.Batch() }
        // Outcomes since the last exchange; the next one counts them.
        countOutcomes()
        (countedOutcomes, countedBytes) = (0, 0)
        defer { outcomes = OutcomeDelivery.Batch() }
        return outcomes
    }

    /// Frees what it keeps for the next push.
    mutating func rest() {
        encoder.rest()
        if changes.isEmpty { changes.opened = [] }
    }

    /// Whether there are changes that the room does not know.
    var hasNews: Bool { !changes.isEmpty || outcomes.count > countedOutcomes }
}

/// Decides when a connection writes its output.
///
/// Without a delay: at the end of each drain, so pushes of one burst share a write. With a delay, requests are held
/// back until a record is full or the delay is over, so that others can join them. With a delay of 0, each is written
/// at once.
struct WriteCoalescer {
    /// The bytes of a full TLS record (RFC 8446, section 5.1).
    private static let fullRecord = 16_384
    /// The size of a request beyond its payload, once its header names are indexed: the frame headers, the device
    /// token, an apns-id.
    private static let requestOverhead = 120

    private let delay: Duration?
    private var held = 0
    /// When the held-back requests are written at the latest; nil if there are none.
    private(set) var writeAt: MonotonicInstant?

    init(delay: Duration?) { self.delay = delay }

    /// Counts a request; true if it must be written at once.
    mutating func submitted(payload: Int, _ now: MonotonicInstant) -> Bool {
        guard let delay else { return false }
        guard delay > .zero else { return true }
        held += payload + Self.requestOverhead
        writeAt = writeAt ?? now.advanced(by: delay)
        return false
    }

    /// Whether to write at the end of this drain; if so, nothing is held back any more.
    mutating func endsDrain(_ now: MonotonicInstant) -> Bool {
        if let writeAt, now < writeAt, held < Self.fullRecord { return false }
        held = 0
        writeAt = nil
        return true
    }
}
