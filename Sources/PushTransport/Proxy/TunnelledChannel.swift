import Dispatch

/// A channel through a proxy: first the asking for a tunnel uses it, then whoever the connect was for. What came out of the
/// tunnel right behind the proxy's answer is read first.
///
/// On one queue, that of the connect, like the channel under it.
final class TunnelledChannel: ByteChannel, @unchecked Sendable {
    // Sendable, because every `var` is touched on `queue` only, as `ByteChannel` demands of whoever uses it.
    private let channel: any ByteChannel
    private let queue: DispatchQueue
    private var onEvent: (@Sendable (ChannelEvent) -> Void)?
    /// What came out of the tunnel already.
    private var rest: [UInt8] = []
    private var isReading = true

    /// Takes over a connected channel. Its events go to `onEvent` until `activate`.
    init(_ channel: any ByteChannel, on queue: DispatchQueue, _ onEvent: @escaping @Sendable (ChannelEvent) -> Void) {
        self.channel = channel
        self.queue = queue
        self.onEvent = onEvent
    }

    /// Starts the events. Called once.
    func open() { channel.activate(on: queue) { [weak self] in self?.onEvent?($0) } }

    /// The tunnel stands: nobody hears events until `activate`.
    func establish(_ rest: [UInt8]) {
        self.rest = rest
        onEvent = nil
    }

    func activate(on queue: DispatchQueue, _ onEvent: @escaping @Sendable (ChannelEvent) -> Void) {
        self.onEvent = onEvent
        // Also where nothing is left: an event that came meanwhile was heard by nobody, and a reset is told only once.
        announceRest()
    }

    private func announceRest() {
        queue.async { [weak self] in
            guard let self, isReading else { return }
            onEvent?(.readable)
            if !rest.isEmpty { announceRest() }
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        guard !rest.isEmpty, isReading, buffer.count > 0 else { return channel.read(into: buffer) }
        let count = min(rest.count, buffer.count)
        buffer.copyBytes(from: rest.prefix(count))
        rest.removeFirst(count)
        return .bytes(count)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> WriteResult { channel.write(bytes) }

    func stopReading() {
        isReading = false
        channel.stopReading()
    }

    func close() {
        end()
        channel.close()
    }

    func abort() {
        end()
        channel.abort()
    }

    private func end() {
        onEvent = nil
        rest = []
    }
}
