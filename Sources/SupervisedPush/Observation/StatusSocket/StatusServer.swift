import Dispatch
import Glibc
import ProcessRuntime
import PushTransport

/// Serves a status socket: each client gets a line at once, and one every second.
///
/// Everything happens on a queue of its own. It asks for a line only while there are clients, and it never waits for
/// one.
final class StatusServer: @unchecked Sendable {
    // Sendable: `clients`, `timer` and `isClosed` are used on the queue only.

    /// Limits. Tests have shorter times.
    struct Limits: Sendable {
        /// The most clients at a time.
        var clients = 16
        /// From one line to the next.
        var interval = Duration.seconds(1)
        /// How many lines a client may miss before it is dropped, because it has not read an earlier one.
        var missedLines = 5
    }

    private let queue = DispatchQueue(label: "push.status", target: .global(qos: .utility))
    private let listener: UnixListener
    private let limits: Limits
    private let makeLine: @Sendable () -> [UInt8]
    private var clients: [ObjectIdentifier: StatusClient] = [:]
    private var timer: (any DispatchSourceTimer)?
    private var isClosed = false

    /// Opens the socket.
    ///
    /// - Parameter makeLine: A snapshot, with its line feed. Called on the server's queue.
    init(
        at path: String, limits: Limits = Limits(), line makeLine: @escaping @Sendable () -> [UInt8]
    ) throws(StatusSocketError) {
        self.limits = limits
        self.makeLine = makeLine
        do { listener = try UnixListener(at: path) } catch { throw StatusSocketError(path, error.description) }
        listener.accept(on: queue) { [weak self] channel in
            if let self { welcome(channel) } else { channel.close() }
        }
    }

    deinit { listener.close() }

    /// Removes the file, and leaves the clients. May be called from any thread, and again.
    func close() {
        listener.close()
        queue.async {
            self.isClosed = true
            for client in self.clients.values { self.leave(client) }
        }
    }

    // MARK: On the queue

    private func welcome(_ channel: SocketChannel) {
        guard !isClosed, channel.isOfThisUser else { return channel.close() }
        let client = StatusClient(channel)
        guard clients.count < limits.clients else {
            // It fits into the empty buffer of a new socket.
            _ = client.offer(StatusGreeting(error: "\(limits.clients) clients are connected already").line)
            return client.close()
        }
        clients[ObjectIdentifier(client)] = client
        client.begin(on: queue) { [weak self] client in self?.leave(client) }
        if !client.offer(makeLine()) { leave(client) }
        if timer == nil, !clients.isEmpty { startTicking() }
    }

    private func startTicking() {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let interval = DispatchTimeInterval.nanoseconds(Int(clamping: limits.interval.saturatedNanoseconds))
        timer.schedule(deadline: .now() + interval, repeating: interval)
        timer.setEventHandler { [weak self] in self?.tick() }
        self.timer = timer
        timer.activate()
    }

    private func tick() {
        let line = makeLine()
        for client in clients.values where !client.offer(line) || client.missedLines > limits.missedLines {
            leave(client)
        }
    }

    private func leave(_ client: StatusClient) {
        client.close()
        clients[ObjectIdentifier(client)] = nil
        guard clients.isEmpty else { return }
        timer?.cancel()
        timer = nil
    }
}

/// A client of a status socket. It has at most one line that it has not read. Used on the server's queue only.
private final class StatusClient: @unchecked Sendable {
    // Sendable: used on one queue only.

    /// The protocol has no requests. A client that sends more than this does not speak it.
    private static let mostInput = 4_096

    private let channel: SocketChannel
    /// The line that is being written.
    private var line: [UInt8] = []
    private var written = 0
    private var input = 0
    /// Lines that it did not get since, because it has not read this one.
    private(set) var missedLines = 0

    init(_ channel: SocketChannel) { self.channel = channel }

    /// - Parameter onEnd: It has gone, or must go.
    func begin(on queue: DispatchQueue, onEnd: @escaping @Sendable (StatusClient) -> Void) {
        channel.activate(on: queue) { [weak self] event in
            guard let self else { return }
            switch event {
            case .readable: if !readOn() { onEnd(self) }
            case .writable: if !writeOn() { onEnd(self) }
            }
        }
    }

    func close() { channel.close() }

    /// Writes a line, unless an earlier one is still on its way. False if it has gone.
    func offer(_ next: [UInt8]) -> Bool {
        guard written == line.count else {
            missedLines += 1
            return true
        }
        (line, written) = (next, 0)
        return writeOn()
    }

    private func writeOn() -> Bool {
        while written < line.count {
            let result = line.withUnsafeBytes { channel.write(UnsafeRawBufferPointer(rebasing: $0[written...])) }
            switch result {
            case .taken(let count): written += count
            case .wouldBlock: return true
            case .failed: return false
            }
        }
        (line, written, missedLines) = ([], 0, 0)
        return true
    }

    /// Notices its end.
    private func readOn() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: Self.mostInput, alignment: 1) { buffer in
            while true {
                switch channel.read(into: buffer) {
                case .bytes(let count):
                    input += count
                    guard input <= Self.mostInput else { return false }
                case .wouldBlock: return true
                case .endOfStream, .failed: return false
                }
            }
        }
    }
}

extension SocketChannel {
    /// Whether the process at the other end belongs to this program's user, or to root, whom no rights keep out.
    fileprivate var isOfThisUser: Bool { peerUser == geteuid() || peerUser == 0 }
}

/// Why a status socket could not be opened.
public struct StatusSocketError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Its path.
    public let path: String
    /// What is wrong and what to do, in a sentence.
    public let description: String

    init(_ path: String, _ description: String) {
        self.path = path
        self.description = description
    }
}
