import Glibc

/// The system calls on stream sockets, with every errno as a value.
enum Socket {
    /// A new non-blocking socket that is not inherited by child processes, without Nagle's delay.
    static func make(family: Int32) -> Result<Int32, Errno> {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, type, Int32(IPPROTO_TCP))
        guard descriptor >= 0 else { return .failure(Errno(errno)) }
        setNoDelay(descriptor)
        return .success(descriptor)
    }

    /// With Nagle's algorithm a single push could wait for the peer's delayed ACK.
    static func setNoDelay(_ descriptor: Int32) {
        set(descriptor, level: Int32(IPPROTO_TCP), option: TCP_NODELAY, to: 1)
    }

    static func set(_ descriptor: Int32, level: Int32, option: Int32, to value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Makes the next `close` send RST and discard unsent bytes.
    static func setReset(_ descriptor: Int32) {
        var value = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }

    /// The result of a non-blocking connect; 0 if it succeeded.
    static func pendingError(_ descriptor: Int32) -> Int32 {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &value, &size) == 0 ? value : errno
    }

    /// The local address of a socket, with its assigned port.
    static func localAddress(_ descriptor: Int32) -> SocketAddress? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard getsockname(descriptor, address, &size) == 0 else { return nil }
                return SocketAddress(copying: address, length: size)
            }
        }
    }

    static func receive(on descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .endOfStream }
            let number = errno
            if number == EINTR { continue }
            return number == EAGAIN ? .wouldBlock : .failed(number)
        }
    }

    static func send(on descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> WriteResult {
        while true {
            // MSG_NOSIGNAL, because a SIGPIPE would end the host program.
            let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return .taken(count) }
            let number = errno
            if number == EINTR { continue }
            return number == EAGAIN ? .wouldBlock : .failed(number)
        }
    }
}

/// The errno of a failed system call.
struct Errno: Error, Sendable, Equatable {
    let number: Int32
    init(_ number: Int32) { self.number = number }
}
