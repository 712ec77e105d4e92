import Glibc
import PushTerminal
import PushTransport
import SupervisedPush

/// A connection to a status socket, whose lines it reads.
struct StatusConnection: ~Copyable {
    /// A line of 10,000 connections has about 12 MB.
    private static let longestLine = 64 << 20

    let path: String
    let descriptor: Int32
    private var bytes: [UInt8] = []
    private(set) var hasEnded = false

    init(_ path: String) throws(CommandError) {
        descriptor = try Self.connected(path)
        self.path = path
    }

    deinit { _ = close(descriptor) }

    private static func connected(_ path: String) throws(CommandError) -> Int32 {
        let address: UnixAddress
        do { address = try UnixAddress(path) } catch { throw .usage(error.description) }
        // Non-blocking, because a program that hangs accepts no client.
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw problem(path, errno) }
        let code = address.withSockaddr { connect(descriptor, $0, $1) } == 0 ? 0 : errno
        guard code == 0 else {
            _ = close(descriptor)
            throw problem(path, code)
        }
        return descriptor
    }

    private static func problem(_ path: String, _ code: Int32) -> CommandError {
        switch code {
        case ENOENT:
            .input("there is no status socket \(path): the program has not opened it yet, or it has ended.")
        case ECONNREFUSED:
            isSocket(path)
                ? CommandError(.unavailable, "\(path) has no server: the program that made it has ended.")
                : .input("\(path) is not a socket.")
        case EACCES, EPERM:
            .input("\(path) belongs to another user: run this as the user of the program, or as root.")
        case EAGAIN: CommandError(.unavailable, "\(path) does not answer: the program hangs, or many wait for it.")
        case EPROTOTYPE: .input("\(path) is a socket of another kind.")
        default: CommandError(.unavailable, "cannot connect to \(path): \(SystemError.text(code)).")
        }
    }

    private static func isSocket(_ path: String) -> Bool { FileStatus(at: path)?.kind == .socket }

    /// Reads what has arrived.
    mutating func read() throws(CommandError) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !hasEnded {
            let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            guard count > 0 else { return hasEnded = true }
            bytes += buffer[..<count]
            guard bytes.count <= Self.longestLine else {
                throw .input("\(path) is not a status socket: a line has no end.")
            }
        }
    }

    /// The next whole line without its line feed; nil if there is none yet.
    ///
    /// - Throws: If it is of another protocol, or says that it serves no further client.
    mutating func next() throws(CommandError) -> [UInt8]? {
        guard let end = bytes.firstIndex(of: ASCII.lineFeed) else { return nil }
        let line = Array(bytes[..<end])
        bytes.removeSubrange(...end)
        guard let greeting = try? StatusGreeting.decode(line) else {
            throw .input("\(path) is not a status socket: pushctl cannot read its first line.")
        }
        guard greeting.version == StatusSnapshot.version else {
            throw CommandError(
                .unavailable,
                "\(path) speaks version \(greeting.version) of the protocol, and this pushctl version "
                    + "\(StatusSnapshot.version): use the pushctl of the program's release.")
        }
        if let error = greeting.error {
            throw CommandError(.unavailable, "\(path) serves no further client: \(error).")
        }
        return line
    }

    func snapshot(_ line: [UInt8]) throws(CommandError) -> StatusSnapshot {
        do { return try StatusSnapshot.decode(line) } catch {
            throw .input("\(path) is not a status socket: a line lacks a required member.")
        }
    }
}
