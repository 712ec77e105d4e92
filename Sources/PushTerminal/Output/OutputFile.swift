import Glibc

/// A file descriptor. Writes are complete, or fail with a sentence.
package struct OutputFile: ~Copyable {
    package let name: String
    private let descriptor: Int32
    /// Whether this run opened it: others write to standard output, too.
    package let isOwned: Bool

    /// Whether it held lines before this run.
    package let isContinued: Bool

    /// Writes to a descriptor that its owner closes.
    package init(borrowing descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
        isOwned = false
        isContinued = false
    }

    /// Writes to a descriptor, and closes it at the end.
    package init(owning descriptor: Int32, name: String, isContinued: Bool = false) {
        self.descriptor = descriptor
        self.name = name
        isOwned = true
        self.isContinued = isContinued
    }

    package static var standardOutput: OutputFile { OutputFile(borrowing: STDOUT_FILENO, name: "standard output") }

    package func write(_ bytes: [UInt8]) throws(CommandError) {
        guard let code = failure(writing: bytes) else { return }
        throw cannotWrite(code)
    }

    /// Writes what can be asked for again.
    ///
    /// - Returns: Whether it was written. If not, the reader has closed the pipe, as `head` does: it has read enough.
    package func list(_ bytes: [UInt8]) throws(CommandError) -> Bool {
        guard let code = failure(writing: bytes) else { return true }
        guard code == EPIPE else { throw cannotWrite(code) }
        return false
    }

    private func cannotWrite(_ code: Int32) -> CommandError {
        CommandError(.unknown, "cannot write \(name): \(SystemError.text(code)); its last lines are missing")
    }

    /// The system's error, if not all could be written.
    private func failure(writing bytes: [UInt8]) -> Int32? {
        var offset = 0
        while offset < bytes.count {
            let written = bytes.withUnsafeBytes { buffer in
                systemWrite(descriptor, buffer.baseAddress.map { $0 + offset }, count: buffer.count - offset)
            }
            if written >= 0 {
                offset += written
                continue
            }
            let code = errno
            switch code {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK:
                // Another program that shares standard output may have made it non-blocking.
                waitUntilWritable()
            default: return code
            }
        }
        return nil
    }

    /// The size of a regular file; 0 for a pipe or a terminal.
    package var size: UInt64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? UInt64(max(0, status.st_size)) : 0
    }

    /// Cuts off what is behind a position.
    package func truncate(to size: UInt64) throws(CommandError) {
        guard ftruncate(descriptor, off_t(clamping: size)) == 0 else {
            throw .configuration("cannot shorten \(name): \(SystemError.text(errno))")
        }
    }

    /// Whether it can be read again: a pipe and a terminal cannot.
    package var isRegular: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Returns once what was written is on the disk.
    package func sync() throws(CommandError) {
        while fdatasync(descriptor) != 0 {
            guard errno == EINTR else {
                throw CommandError(.unknown, "cannot write \(name): \(SystemError.text(errno))")
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

// In this type, its own `write` hides the system's.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, count: Int) -> Int {
    write(descriptor, bytes, count)
}
