import Dispatch
import PushLocking
import PushTransport

/// A proxy in memory: hears CONNECT, answers as it is told, and passes the bytes on to one server, whatever was asked for.
package final class RelayProxy: Sendable {
    package enum Conduct: Sendable {
        case relay
        /// Passes bytes on without being asked, as a network does that forwards a port.
        case forward
        case refuse(Int)
        case hang
    }

    private let conduct: Locked<Conduct>
    private let heard = Locked<[String]>([])

    /// - Parameters:
    ///   - place: where it listens.
    ///   - server: where the bytes go.
    package init(on network: MemoryNetwork, at place: Endpoint, to server: Endpoint, _ conduct: Conduct = .relay) {
        self.conduct = Locked(conduct)
        let queue = DispatchQueue(label: "relay", target: .global(qos: .userInteractive))
        network.listen(on: place) { client in
            queue.async {
                RelaySession(self, client, on: queue) { network.connect(to: server, on: queue, completion: $0) }.start()
            }
        }
    }

    /// The heads of the requests so far.
    package var requests: [String] { heard.withLock { $0 } }

    package func behave(_ conduct: Conduct) { self.conduct.withLock { $0 = conduct } }

    fileprivate var conductNow: Conduct { conduct.withLock { $0 } }

    fileprivate func hear(_ request: [UInt8]) { heard.withLock { $0.append(String(decoding: request, as: UTF8.self)) } }
}

/// One client of the relay.
private final class RelaySession: @unchecked Sendable {
    // Sendable, because it is confined to `queue`; the channels' closures keep it alive until both are closed.
    typealias Connected = @Sendable (Result<any ByteChannel, TransportError>) -> Void

    private let proxy: RelayProxy
    private let client: any ByteChannel
    private let queue: DispatchQueue
    private let connect: (@escaping Connected) -> any Cancellable
    private var server: (any ByteChannel)?
    private var isReaching = false
    private var head: [UInt8] = []
    private var toClient: [UInt8] = []
    private var toServer: [UInt8] = []

    init(
        _ proxy: RelayProxy, _ client: any ByteChannel, on queue: DispatchQueue,
        _ connect: @escaping (@escaping Connected) -> any Cancellable
    ) {
        self.proxy = proxy
        self.client = client
        self.queue = queue
        self.connect = connect
    }

    func start() {
        client.activate(on: queue) { self.clientHas($0) }
        if case .forward = proxy.conductNow { reach([]) }
    }

    private func clientHas(_ event: ChannelEvent) {
        switch (event, server) {
        case (.readable, nil): if !isReaching { readHead() }
        case (.readable, let server?): pump(client, server, &toServer)
        case (.writable, let server):
            flush(&toClient, client)
            if let server { pump(server, client, &toClient) }
        }
    }

    private func serverHas(_ event: ChannelEvent) {
        guard let server else { return }
        switch event {
        case .readable: pump(server, client, &toClient)
        case .writable:
            flush(&toServer, server)
            pump(client, server, &toServer)
        }
    }

    private func readHead() {
        // With the head, or with the client's end, there is nothing more to hear before the server is reached.
        switch read(client, atMost: 4_096) {
        case .bytes(let bytes): head += bytes
        case .nothing: return
        case .end, .failed: return client.abort()
        }
        guard head.suffix(4) == [13, 10, 13, 10] else { return }
        proxy.hear(head)
        switch proxy.conductNow {
        case .relay, .forward: reach(Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8))
        case .refuse(let status):
            toClient = Array("HTTP/1.1 \(status) No\r\nProxy-Authenticate: Basic\r\n\r\n".utf8)
            flush(&toClient, client)
        case .hang: break
        }
    }

    private func reach(_ answer: [UInt8]) {
        isReaching = true
        _ = connect { result in
            guard case .success(let server) = result else { return self.client.abort() }
            self.server = server
            self.toClient = answer
            self.flush(&self.toClient, self.client)
            server.activate(on: self.queue) { self.serverHas($0) }
            self.pump(self.client, server, &self.toServer)
        }
    }

    private enum Read {
        case bytes([UInt8])
        case nothing, end, failed
    }

    private func read(_ channel: any ByteChannel, atMost count: Int) -> Read {
        withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { buffer in
            switch channel.read(into: buffer) {
            case .bytes(let count): .bytes(Array(buffer.prefix(count)))
            case .wouldBlock: .nothing
            case .endOfStream: .end
            case .failed: .failed
            }
        }
    }

    private func pump(_ source: any ByteChannel, _ target: any ByteChannel, _ pending: inout [UInt8]) {
        while pending.isEmpty {
            switch read(source, atMost: 16_384) {
            case .bytes(let bytes):
                pending = bytes
                flush(&pending, target)
            case .nothing: return
            case .end:
                target.close()
                return source.close()
            case .failed:
                target.abort()
                return source.abort()
            }
        }
    }

    private func flush(_ pending: inout [UInt8], _ channel: any ByteChannel) {
        guard !pending.isEmpty else { return }
        switch pending.withUnsafeBytes({ channel.write($0) }) {
        case .taken(let count): pending.removeFirst(count)
        case .wouldBlock: break
        case .failed: pending = []
        }
    }
}
