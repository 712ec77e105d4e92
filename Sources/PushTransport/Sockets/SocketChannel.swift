import CPushSystem
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
    package init(descriptor: Int32) { self.descriptor = descriptor }

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

/// A descriptor that is readable when a socket is ready: an epoll instance that watches this one socket.
///
/// Dispatch watches this descriptor in place of a connected socket. A socket can hang up (EPOLLHUP: a reset, a refused
/// connect). Dispatch's event loop for Linux then wakes the source, whose queue may free what the loop reads next
/// (swift-corelibs-libdispatch, issue 949), and the process ends. An epoll instance does not hang up.
struct SocketPoll {
    struct Events: OptionSet, Sendable {
        let rawValue: UInt32
        static let readable = Events(rawValue: EPOLLIN.rawValue)
        static let writable = Events(rawValue: EPOLLOUT.rawValue)
        /// An error or the end of both directions. epoll(7) reports these always; reads and writes return them.
        static let ended = Events(rawValue: EPOLLERR.rawValue | EPOLLHUP.rawValue)
    }

    let descriptor: Int32
    private let socket: Int32

    /// Watches `socket`, which the caller closes. The kernel forgets it then.
    static func watching(_ socket: Int32, for events: Events) -> Result<SocketPoll, Errno> {
        let descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { return .failure(Errno(errno)) }
        let poll = SocketPoll(descriptor: descriptor, socket: socket)
        guard poll.control(EPOLL_CTL_ADD, events: events) else {
            let number = errno
            _ = close(descriptor)
            return .failure(Errno(number))
        }
        return .success(poll)
    }

    /// Watches for other events from now on.
    func watch(for events: Events) { _ = control(EPOLL_CTL_MOD, events: events) }

    /// The events that hold now.
    func events() -> Events {
        var event = epoll_event()
        return epoll_wait(descriptor, &event, 1, 0) == 1 ? Events(rawValue: event.events) : []
    }

    private func control(_ operation: Int32, events: Events) -> Bool {
        var event = epoll_event(events: events.rawValue, data: epoll_data_t(fd: socket))
        return epoll_ctl(descriptor, operation, socket, &event) == 0
    }
}
