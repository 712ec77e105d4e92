import Glibc
import PushTerminal

/// Wakes a thread that waits for descriptors: a signal has come.
final class StopBell: Sendable {
    private let reading: Int32
    private let writing: Int32

    init() throws(CommandError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw CommandError(.unavailable, "no pipe can be made: \(SystemError.text(errno))")
        }
        (reading, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// May be called from any thread.
    func ring() {
        // It is never read, so it stays: every later wait returns at once.
        _ = [UInt8(1)].withUnsafeBytes { write(writing, $0.baseAddress, 1) }
    }

    var hasRung: Bool {
        var request = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) == 1
    }

    /// Waits until the descriptor can be read, the bell rings, a key is pressed, or the time is over.
    ///
    /// - Parameter milliseconds: Below 0 for no limit.
    /// - Returns: Whether standard input can be read, if `keys` asks for it.
    func wait(for descriptor: Int32, keys: Bool, milliseconds: Int) -> Bool {
        var requests = [
            pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            // A negative number is skipped.
            pollfd(fd: keys ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&requests, nfds_t(requests.count), Int32(clamping: milliseconds))
        return requests[2].revents != 0
    }
}
