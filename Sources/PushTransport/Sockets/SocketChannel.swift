import Dispatch
import Glibc

/// A connected socket, with one Dispatch source on its `SocketPoll`.
///
/// The source is suspended while the channel neither reads nor waits to write. A channel that is released without `close`
/// closes itself.
package final class SocketChannel: ByteChannel, @unchecked Sendable {
    // Sendable: it is confined to the queue of `activate`, and to one owner before that.
    private let descriptor: Int32
    private var onEvent: (@Sendable (ChannelEvent) -> Void)?
    private var watch: Watch?
    private var isReading = true
    private var awaitsWritability = false
    private var isClosed = false

    /// What `activate` starts.
    private enum Watch {
        case running(SocketPoll, any DispatchSourceRead)
        /// The system has no descriptor left to watch the socket with.
        case impossible(Errno)
    }

    /// Takes ownership of a connected, non-blocking descriptor.
    init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close() }

    /// The user of the process at the other end of a Unix socket (unix(7), SO_PEERCRED); nil for another socket.
    package var peerUser: uid_t? {
        var peer = (process: pid_t(0), user: uid_t.max, group: gid_t.max)
        var size = socklen_t(MemoryLayout.size(ofValue: peer))
        guard !isClosed, getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 else { return nil }
        return peer.user == .max ? nil : peer.user
    }

    package func activate(on queue: DispatchQueue, onEvent: @escaping @Sendable (ChannelEvent) -> Void) {
        guard !isClosed, watch == nil else { return }
        self.onEvent = onEvent
        switch SocketPoll.watching(descriptor, for: interest) {
        case .failure(let error):
            watch = .impossible(error)
            queue.async { [weak self] in self?.deliver(.readable) }
        case .success(let poll):
            let source = DispatchSource.makeReadSource(fileDescriptor: poll.descriptor, queue: queue)
            source.setEventHandler { [weak self] in self?.becameReady() }
            source.setCancelHandler { _ = Glibc.close(poll.descriptor) }
            watch = .running(poll, source)
            source.activate()
            if interest.isEmpty { source.suspend() }
        }
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        guard !isClosed else { return .endOfStream }
        if case .impossible(let error) = watch { return .failed(error.number) }
        return isReading ? Socket.receive(on: descriptor, into: buffer) : .wouldBlock
    }

    package func stopReading() {
        guard isReading, !isClosed else { return }
        change { $0.isReading = false }
    }

    package func write(_ bytes: UnsafeRawBufferPointer) -> WriteResult {
        guard !isClosed else { return .failed(EPIPE) }
        let result = Socket.send(on: descriptor, bytes)
        if result == .wouldBlock, !awaitsWritability { change { $0.awaitsWritability = true } }
        return result
    }

    package func close() {
        guard !isClosed else { return }
        isClosed = true
        onEvent = nil
        _ = Glibc.close(descriptor)
        guard case .running(_, let source) = watch else { return }
        source.cancel()
        // A suspended source never runs its cancel handler, and must not be released.
        if interest.isEmpty { source.resume() }
        watch = nil
    }

    package func abort() {
        guard !isClosed else { return }
        Socket.setReset(descriptor)
        close()
    }

    /// The events that the source waits for.
    private var interest: SocketPoll.Events {
        var events: SocketPoll.Events = []
        if isReading { events.insert(.readable) }
        if awaitsWritability { events.insert(.writable) }
        return events
    }

    private func change(_ body: (SocketChannel) -> Void) {
        let before = interest
        body(self)
        guard case .running(let poll, let source) = watch else { return }
        poll.watch(for: interest)
        if before.isEmpty, !interest.isEmpty { source.resume() }
        if !before.isEmpty, interest.isEmpty { source.suspend() }
    }

    private func becameReady() {
        guard awaitsWritability else { return deliver(.readable) }
        guard case .running(let poll, _) = watch else { return }
        let events = poll.events()
        if !events.isDisjoint(with: [.writable, .ended]) {
            change { $0.awaitsWritability = false }
            deliver(.writable)
        }
        if !events.isDisjoint(with: [.readable, .ended]) { deliver(.readable) }
    }

    private func deliver(_ event: ChannelEvent) {
        guard !isClosed, event == .writable || isReading else { return }
        onEvent?(event)
    }
}
