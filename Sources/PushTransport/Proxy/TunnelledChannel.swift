import Dispatch

/// A channel through a proxy. First the tunnel's conversation uses it, then the caller of `connect`. Bytes that
/// followed the proxy's answer are read first.
///
/// Confined to the queue of the connect, like the channel under it.
final class TunnelledChannel: ByteChannel, @unchecked Sendable {
    // Sendable: every `var` is accessed on `queue` only, as `ByteChannel` requires of its users.
    private let channel: any ByteChannel
    private let queue: DispatchQueue
    private var onEvent: (@Sendable (ChannelEvent) -> Void)?
    /// The bytes that already came out of the tunnel.
    private var rest: [UInt8] = []
    private var isReading = true

    /// Wraps a connected channel. `onEvent` receives its events until `activate`.
    init(_ channel: any ByteChannel, on queue: DispatchQueue, onEvent: @escaping @Sendable (ChannelEvent) -> Void) {
        self.channel = channel
        self.queue = queue
        self.onEvent = onEvent
    }

    /// Starts the events. Called once.
    func open() { channel.activate(on: queue) { [weak self] in self?.onEvent?($0) } }

    /// Marks the tunnel as open. Events are dropped until `activate`.
    func establish(_ rest: [UInt8]) {
        self.rest = rest
        onEvent = nil
    }

    func activate(on queue: DispatchQueue, onEvent: @escaping @Sendable (ChannelEvent) -> Void) {
        self.onEvent = onEvent
        // Even if `rest` is empty: an event in the meantime was dropped, and a reset is reported only once.
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
