import Dispatch
import Glibc

/// A connected TCP socket with one Dispatch read source and, from the first refused write on, one write source.
///
/// The write source runs only between a refused write and the next `.writable`. The sources' cancel handlers close the
/// descriptor. A channel that is released without `close` closes itself.
package final class SocketChannel: ByteChannel, @unchecked Sendable {
    // Sendable: it is confined to the queue of `activate`, and to one owner before that.
    private let lifetime: DescriptorLifetime
    private var queue: DispatchQueue?
    private var onEvent: (@Sendable (ChannelEvent) -> Void)?
    private var readSource: (any DispatchSourceRead)?
    private var writeSource: (any DispatchSourceWrite)?
    private var writeSourceRuns = false
    private var isReading = true
    private var isClosed = false

    /// Takes ownership of a connected, non-blocking descriptor.
    init(descriptor: Int32) { lifetime = DescriptorLifetime(descriptor) }

    deinit { close() }

    /// The user of the process at the other end of a Unix socket (unix(7), SO_PEERCRED); nil for another socket.
    package var peerUser: uid_t? {
        var peer = (process: pid_t(0), user: uid_t.max, group: gid_t.max)
        var size = socklen_t(MemoryLayout.size(ofValue: peer))
        guard !isClosed, getsockopt(lifetime.descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 else { return nil }
        return peer.user == .max ? nil : peer.user
    }

    package func activate(on queue: DispatchQueue, _ onEvent: @escaping @Sendable (ChannelEvent) -> Void) {
        guard !isClosed, self.queue == nil else { return }
        self.queue = queue
        self.onEvent = onEvent
        let source = DispatchSource.makeReadSource(fileDescriptor: lifetime.descriptor, queue: queue)
        source.setEventHandler { [weak self] in self?.deliver(.readable) }
        lifetime.watch(source)
        readSource = source
        source.activate()
        if !isReading { source.suspend() }
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        guard !isClosed else { return .endOfStream }
        return isReading ? Socket.receive(lifetime.descriptor, buffer) : .wouldBlock
    }

    package func stopReading() {
        guard isReading, !isClosed else { return }
        isReading = false
        readSource?.suspend()
    }

    package func write(_ bytes: UnsafeRawBufferPointer) -> WriteResult {
        guard !isClosed else { return .failed(EPIPE) }
        let result = Socket.send(lifetime.descriptor, bytes)
        if result == .wouldBlock { awaitWritability() }
        return result
    }

    package func close() {
        guard !isClosed else { return }
        isClosed = true
        onEvent = nil
        guard let readSource else { return lifetime.closeUnwatched() }
        readSource.cancel()
        // A suspended source never runs its cancel handler, and must not be released.
        if !isReading { readSource.resume() }
        self.readSource = nil
        guard let writeSource else { return }
        writeSource.cancel()
        // A suspended source never runs its cancel handler, and must not be released.
        if !writeSourceRuns { writeSource.resume() }
        self.writeSource = nil
    }

    package func abort() {
        guard !isClosed else { return }
        Socket.setReset(lifetime.descriptor)
        close()
    }

    private func deliver(_ event: ChannelEvent) {
        guard !isClosed else { return }
        onEvent?(event)
    }

    private func awaitWritability() {
        guard !writeSourceRuns, let queue else { return }
        writeSourceRuns = true
        if let writeSource { return writeSource.resume() }
        let source = DispatchSource.makeWriteSource(fileDescriptor: lifetime.descriptor, queue: queue)
        source.setEventHandler { [weak self] in self?.becameWritable() }
        lifetime.watch(source)
        writeSource = source
        source.activate()
    }

    private func becameWritable() {
        guard !isClosed, writeSourceRuns else { return }
        writeSourceRuns = false
        writeSource?.suspend()
        deliver(.writable)
    }
}
