import ProcessRuntime
import PushTransport

/// When what a connection has to write is written.
///
/// Without a delay at the end of each drain: what was called meanwhile shares a write. With one, requests are held back
/// for others to join them until a record is full or the delay is over; with a delay of 0 none waits even for the end
/// of its drain.
struct WriteGathering {
    /// The bytes of a full TLS record (RFC 8446, section 5.1).
    private static let fullRecord = 16_384
    /// What a request takes beside its payload once its header names are indexed: the frame headers, the device token,
    /// an apns-id.
    private static let requestOverhead = 120

    private let delay: Duration?
    private var held = 0
    /// When what is held back is written at the latest; nil if nothing is.
    private(set) var writeAt: MonotonicInstant?

    init(delay: Duration?) { self.delay = delay }

    /// Takes note of a request; true if it is to be written at once.
    mutating func submitted(payload: Int, _ now: MonotonicInstant) -> Bool {
        guard let delay else { return false }
        guard delay > .zero else { return true }
        held += payload + Self.requestOverhead
        writeAt = writeAt ?? now.advanced(by: delay)
        return false
    }

    /// Whether the drain that ends now writes; if so, nothing is held back any more.
    mutating func endsDrain(_ now: MonotonicInstant) -> Bool {
        if let writeAt, now < writeAt, held < Self.fullRecord { return false }
        held = 0
        writeAt = nil
        return true
    }
}
