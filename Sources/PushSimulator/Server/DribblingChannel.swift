import Dispatch
import ProcessRuntime
import PushTransport

/// A channel that writes a few bytes at a time, until `hurry` is called.
final class DribblingChannel: ByteChannel, @unchecked Sendable {
    // Sendable: it is confined to the queue of `activate`, on which its timer fires too, and to one owner
    // before that.
    private let channel: any ByteChannel
    private let dribble: Dribble
    private let time: any TimeSource
    private var onEvent: (@Sendable (ChannelEvent) -> Void)?
    private var timer: (any OneShotTimer)?
    private var allowance: Int
    private var isSlow = true
    private var isRefused = false

    init(_ channel: any ByteChannel, _ dribble: Dribble, time: any TimeSource) {
        self.channel = channel
        self.dribble = dribble
        self.time = time
        allowance = max(1, dribble.bytes)
    }

    /// Writes without delay from now on.
    func hurry() { isSlow = false }

    func activate(on queue: DispatchQueue, onEvent: @escaping @Sendable (ChannelEvent) -> Void) {
        self.onEvent = onEvent
        timer = time.makeTimer(on: queue) { [weak self] in self?.refill() }
        channel.activate(on: queue, onEvent: onEvent)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult { channel.read(into: buffer) }

    func write(_ bytes: UnsafeRawBufferPointer) -> WriteResult {
        guard isSlow else { return channel.write(bytes) }
        guard allowance > 0 else {
            isRefused = true
            return .wouldBlock
        }
        let result = channel.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(allowance)))
        if case .taken(let count) = result {
            allowance -= count
            if allowance == 0 { timer?.arm(at: time.now.advanced(by: dribble.interval)) }
        }
        return result
    }

    func stopReading() { channel.stopReading() }

    func close() {
        end()
        channel.close()
    }

    func abort() {
        end()
        channel.abort()
    }

    private func refill() {
        allowance = max(1, dribble.bytes)
        guard isRefused else { return }
        isRefused = false
        onEvent?(.writable)
    }

    private func end() {
        timer?.cancel()
        timer = nil
        onEvent = nil
    }
}
