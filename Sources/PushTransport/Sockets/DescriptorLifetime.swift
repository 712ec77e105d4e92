import Dispatch
import Glibc
import PushLocking

/// Closes a descriptor only after every Dispatch source on it has ended. A number that is closed while a source still
/// watches it may be reused for an unrelated file.
///
/// The sources' cancel handlers all run on one queue.
final class DescriptorLifetime: @unchecked Sendable {
    // Sendable: `sources` changes only on that queue, or before the object is shared.
    let descriptor: Int32
    private var sources = 0
    /// Set by the closing thread, which may be any.
    private let onClosed = Locked<(@Sendable () -> Void)?>(nil)

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Counts `source` and sets its cancel handler.
    func watch(_ source: any DispatchSourceProtocol) {
        sources += 1
        source.setCancelHandler { self.sourceEnded() }
    }

    /// Closes the descriptor now, if no source watches it.
    func closeUnwatched() {
        if sources == 0 { _ = Glibc.close(descriptor) }
    }

    /// Sets a closure to call after the descriptor is closed. Must be set before the sources are cancelled.
    func whenClosed(_ body: @escaping @Sendable () -> Void) {
        onClosed.withLock { $0 = body }
    }

    private func sourceEnded() {
        sources -= 1
        guard sources == 0 else { return }
        _ = Glibc.close(descriptor)
        onClosed.withLock { $0 }?()
    }
}
