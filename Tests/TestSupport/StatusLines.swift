import Glibc
import PushTransport

/// A client of a status socket, for tests: its lines, as they come.
package final class StatusLines: Sendable {
    package struct CannotConnect: Error {
        package let code: Int32
    }

    private let lines: AsyncStream<[UInt8]>
    private let reader: LineReader

    /// - Parameter reads: Whether to begin reading at once.
    package init(_ path: String, reads: Bool = true) throws {
        let descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let channel = SocketChannel(descriptor: descriptor)
        let (lines, found) = AsyncStream<[UInt8]>.makeStream()
        self.lines = lines
        reader = LineReader(channel, found: { found.yield($0) }, atEnd: { _ in found.finish() })
        let code = try UnixAddress(path).withSockaddr { connect(descriptor, $0, $1) } == 0 ? 0 : errno
        guard code == 0 else { throw CannotConnect(code: code) }
        if reads { read() }
    }

    /// Reads to the end, which closes the socket.
    package func read() { reader.begin() }

    /// The next line; nil at the end.
    package func next() async -> [UInt8]? {
        for await line in lines { return line }
        return nil
    }

    /// Leaves.
    package func close() { reader.close() }

    /// Says something.
    package func say(_ count: Int) { reader.write([UInt8](repeating: 0x20, count: count)) }
}
