import Dispatch
import Glibc
import PushTransport

/// A client of a status socket, for tests: its lines, as they come.
package final class StatusLines: @unchecked Sendable {
    // Sendable: everything that changes does so on its queue, or before it is shared.
    package struct CannotConnect: Error {
        package let code: Int32
    }

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "test.status", target: .global())
    private let lines: AsyncStream<[UInt8]>
    private let found: AsyncStream<[UInt8]>.Continuation
    private var source: (any DispatchSourceRead)?
    private var rest: [UInt8] = []

    /// - Parameter reads: Whether to begin reading at once.
    package init(_ path: String, reads: Bool = true) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        (lines, found) = AsyncStream.makeStream()
        let code = try UnixAddress(path).withSockaddr { connect(descriptor, $0, $1) } == 0 ? 0 : errno
        guard code == 0 else {
            _ = Glibc.close(descriptor)
            throw CannotConnect(code: code)
        }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        if reads { read() }
    }

    /// Reads to the end, which closes the descriptor.
    package func read() {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { [self] in
            if readOn() { source.cancel() }
        }
        source.setCancelHandler { [self] in
            _ = Glibc.close(descriptor)
            found.finish()
        }
        self.source = source
        source.activate()
    }

    /// The next line; nil at the end.
    package func next() async -> [UInt8]? {
        for await line in lines { return line }
        return nil
    }

    /// Leaves.
    package func close() { source?.cancel() }

    /// Says something.
    package func say(_ count: Int) {
        let bytes = [UInt8](repeating: 0x20, count: count)
        _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    private func readOn() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return false }
            guard count > 0 else { return true }
            var new = buffer[..<count]
            while let end = new.firstIndex(of: 0x0A) {
                found.yield(rest + new[..<end])
                (rest, new) = ([], new[(end + 1)...])
            }
            rest += new
        }
    }
}
