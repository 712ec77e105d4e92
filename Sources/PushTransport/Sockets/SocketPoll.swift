import CPushSystem
import Glibc

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
