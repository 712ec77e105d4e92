import Dispatch
import Glibc
import PushLocking
import PushTransport

/// Connects, and can let the peers of its connections vanish: bytes to them are swallowed, and none come from them.
final class SwallowingConnector: Connector {
    private let connector = SocketConnector()
    private let channels = Locked<[SwallowingChannel]>([])

    /// Lets the peers of all connections so far vanish.
    func swallow() { channels.withLock { for channel in $0 { channel.swallow() } } }

    func connect(
        to endpoint: Endpoint, on queue: DispatchQueue,
        completion: @escaping @Sendable (Result<any ByteChannel, TransportError>) -> Void
    ) -> any Cancellable {
        connector.connect(to: endpoint, on: queue) { [channels] result in
            completion(
                result.map { channel in
                    let channel = SwallowingChannel(channel)
                    channels.withLock { $0.append(channel) }
                    return channel
                })
        }
    }
}

private final class SwallowingChannel: ByteChannel {
    private let channel: any ByteChannel
    private let swallows = Locked(false)

    init(_ channel: any ByteChannel) { self.channel = channel }

    func swallow() { swallows.withLock { $0 = true } }

    func activate(on queue: DispatchQueue, onEvent: @escaping @Sendable (ChannelEvent) -> Void) {
        channel.activate(on: queue, onEvent: onEvent)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        swallows.withLock { $0 } ? .wouldBlock : channel.read(into: buffer)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> WriteResult {
        swallows.withLock { $0 } ? .taken(bytes.count) : channel.write(bytes)
    }

    func stopReading() { channel.stopReading() }
    func close() { channel.close() }
    func abort() { channel.abort() }
}
