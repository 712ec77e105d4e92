import Dispatch
import Glibc
import PushLocking

/// Closes a descriptor once every Dispatch source on it has ended, and not before: a number that is closed while a
/// source still watches it may by then belong to somebody else's file.
///
/// The sources' cancel handlers all run on one queue.
final class DescriptorLifetime: @unchecked Sendable {
    // Sendable, because `sources` changes on the one queue only, or while nobody else can know the object.
    let descriptor: Int32
    private var sources = 0
    /// Set by whoever closes, from any thread.
    private let onClosed = Locked<(@Sendable () -> Void)?>(nil)

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Counts `source` in and sets its cancel handler.
    func watch(_ source: any DispatchSourceProtocol) {
        sources += 1
        source.setCancelHandler { self.sourceEnded() }
    }

    /// For a descriptor that no source watches: closes it now.
    func closeUnwatched() {
        if sources == 0 { _ = Glibc.close(descriptor) }
    }

    /// Called after the descriptor is closed. Set before the sources are cancelled.
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
