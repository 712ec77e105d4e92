import ProcessRuntime
import PushTransport

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
