import CPushOpenSSL
import Glibc
import PushLocking
import PushProtocol
import PushTerminal
import SupervisedPush
import Synchronization

/// A file or standard input, read with our own buffers. Reading can be stopped at once from another thread.
package final class InputFile: Sendable {
    package let name: String
    /// The size of a regular file, for progress.
    package let size: UInt64?
    private let descriptor: Int32
    private let isOwned: Bool
    /// A pipe. Closing its writing end wakes a reader that waits for a terminal or another program.
    private let wakeReader: Int32
    private let wakeWriter: Locked<Int32?>
    private let stopped = Atomic(false)

    /// - Parameter path: A file, or `-` for standard input.
    /// - Throws: Status 66.
    package init(_ path: String) throws(CommandError) {
        let isStandardInput = path == "-"
        name = isStandardInput ? "standard input" : path
        isOwned = !isStandardInput
        descriptor = isStandardInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.unreadable(path, errno) }
        guard let status = FileStatus(of: descriptor) else {
            let code = errno
            if isOwned { _ = close(descriptor) }
            throw Self.unreadable(name, code)
        }
        if status.kind == .folder {
            if isOwned { _ = close(descriptor) }
            throw .input("cannot read \(name): it is a folder; name a file")
        }
        size = status.kind == .file ? status.size : nil
        var ends: [Int32] = [-1, -1]
        guard Self.makePipe(&ends) else {
            let code = errno
            if isOwned { _ = close(descriptor) }
            throw Self.unreadable(name, code)
        }
        wakeReader = ends[0]
        wakeWriter = Locked(ends[1])
    }

    deinit {
        stop()
        _ = close(wakeReader)
        if isOwned { _ = close(descriptor) }
    }

    /// Ends the input: `read` returns 0 from now on, including a call that is waiting.
    package func stop() {
        stopped.store(true, ordering: .releasing)
        wakeWriter.withLock { writer in
            if let descriptor = writer { _ = close(descriptor) }
            writer = nil
        }
    }

    /// Asked for each record, so it takes no lock.
    package var isStopped: Bool { stopped.load(ordering: .acquiring) }

    /// The identity of a regular file; nil for a pipe or a terminal.
    package var identity: FileIdentity? { FileIdentity(of: descriptor) }

    /// What it has open.
    package var descriptors: [Int32] { [descriptor, wakeReader] + (wakeWriter.withLock { $0.map { [$0] } } ?? []) }

    /// Reads available bytes, waiting for the first one; 0 at the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(CommandError) -> Int {
        while true {
            var requests = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0),
            ]
            if poll(&requests, 2, -1) < 0, errno == EINTR { continue }
            if requests[1].revents != 0 { return 0 }
            let count = systemRead(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            if errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK { continue }
            throw Self.unreadable(name, errno)
        }
    }

    /// Reads at a position of a regular file, and leaves the position of `read(into:)` alone; 0 at the end.
    package func read(at position: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CommandError) -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(clamping: position))
            if count >= 0 { return count }
            guard errno == EINTR else { throw Self.unreadable(name, errno) }
        }
    }

    /// The whole text of a small file, such as a payload, without a byte order mark.
    ///
    /// - Throws: Status 66, also if the file is larger than `limit` bytes, or UTF-16.
    package static func contents(of path: String, limit: Int) throws(CommandError) -> [UInt8] {
        let file = try InputFile(path)
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count < bytes.count {
            var failure: CommandError?
            let read = bytes.withUnsafeMutableBytes { buffer in
                do throws(CommandError) {
                    return try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
                } catch {
                    failure = error
                    return 0
                }
            }
            if let failure { throw failure }
            if read == 0 { break }
            count += read
        }
        guard count <= limit else { throw .input("\(file.name) is larger than \(limit) bytes") }
        do throws(TextEncoding.Foreign) { return try TextEncoding.text(Array(bytes[..<count]), name: file.name) } catch
        {
            throw .input("\(file.name) \(error.sentence)")
        }
    }

    private static func unreadable(_ name: String, _ code: Int32) -> CommandError {
        let remedy = SystemError.remedy(code) ?? "check the name and your rights"
        return .input("cannot read \(name): \(SystemError.text(code)); \(remedy)")
    }

    /// Makes a pipe whose ends child processes do not inherit.
    private static func makePipe(_ ends: inout [Int32]) -> Bool {
        guard pipe(&ends) == 0 else { return false }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return true
    }
}

// In this type, its own `read` hides the system's.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

/// What tells an input from others: its size and its hash. The name is for people.
package struct InputBinding: Equatable, Sendable {
    package var name: String
    package var size: UInt64
    /// In hexadecimal.
    package var sha256: String

    func isSameInput(as other: InputBinding) -> Bool { size == other.size && sha256 == other.sha256 }
}

extension InputFile {
    /// Reads the whole of a regular file, on its side: the position of `read` stays.
    ///
    /// - Throws: Status 66 if it can't be read, or the reading was stopped.
    package func binding() throws(CommandError) -> InputBinding {
        guard let context = EVP_MD_CTX_new() else { throw .input("cannot hash \(name): out of memory") }
        defer { EVP_MD_CTX_free(context) }
        EVP_DigestInit_ex(context, EVP_sha256(), nil)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 262_144, alignment: 16)
        defer { buffer.deallocate() }
        var size: UInt64 = 0
        while case let count = try read(at: size, into: buffer), count > 0 {
            guard !isStopped else { throw .input("\(name) was not read: the run was stopped") }
            EVP_DigestUpdate(context, buffer.baseAddress, count)
            size += UInt64(count)
        }
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_DigestFinal_ex(context, &digest, nil) == 1 else { throw .input("cannot hash \(name)") }
        return InputBinding(
            name: name, size: size,
            sha256: String(decoding: digest.flatMap { [Hex.digit($0 >> 4), Hex.digit($0)] }, as: UTF8.self))
    }
}
