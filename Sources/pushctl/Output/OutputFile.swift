#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A file descriptor that is written to completely or fails with a sentence.
package struct OutputFile: ~Copyable {
    package let name: String
    private let descriptor: Int32
    private let isOwned: Bool

    /// Writes to a descriptor that somebody else closes.
    package init(borrowing descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
        isOwned = false
    }

    /// Creates the file, or empties the one that is there.
    package init(creating path: String) throws(CommandError) {
        // 0600 would hide outcomes from a team, the umask is the user's choice: 0666 as every tool does.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            throw .configuration(
                "cannot write \(path): \(SystemError.text(errno)); name a file in a folder that exists and is yours")
        }
        self.descriptor = descriptor
        name = path
        isOwned = true
    }

    package static var standardOutput: OutputFile { OutputFile(borrowing: STDOUT_FILENO, name: "standard output") }

    package func write(_ bytes: [UInt8]) throws(CommandError) {
        var offset = 0
        while offset < bytes.count {
            let written = bytes.withUnsafeBytes { buffer in
                systemWrite(descriptor, buffer.baseAddress.map { $0 + offset }, buffer.count - offset)
            }
            if written >= 0 {
                offset += written
                continue
            }
            let code = errno
            switch code {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK:
                // Standard output may share a descriptor that another program made non-blocking.
                waitUntilWritable()
            default:
                throw CommandError(
                    .unknown, "cannot write \(name): \(SystemError.text(code)); its last lines are missing")
            }
        }
    }

    private func waitUntilWritable() {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&request, 1, -1)
    }

    deinit {
        if isOwned { _ = close(descriptor) }
    }
}

// Inside the type its own `write` hides the system's.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
