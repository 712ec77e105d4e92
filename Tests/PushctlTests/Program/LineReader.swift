import Dispatch
import Glibc

/// Reads a descriptor line by line whenever there is something, without a thread that waits: other tests count the
/// threads of this process.
final class LineReader: @unchecked Sendable {
    // Sendable: everything that changes does so on the source's queue.
    private let descriptor: Int32
    private let found: @Sendable (String) -> Void
    private var rest: [UInt8] = []

    /// Reads to the end, then closes the descriptor.
    static func read(
        _ descriptor: Int32, _ found: @escaping @Sendable (String) -> Void, atEnd: @escaping @Sendable () -> Void
    ) {
        let reader = LineReader(descriptor, found)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let queue = DispatchQueue(label: "pushctl.tests.pipe", target: .global())
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            if reader.read() { source.cancel() }
        }
        source.setCancelHandler {
            close(descriptor)
            atEnd()
        }
        source.activate()
    }

    private init(_ descriptor: Int32, _ found: @escaping @Sendable (String) -> Void) {
        self.descriptor = descriptor
        self.found = found
    }

    /// Reads what there is; true at the end.
    private func read() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return false }
            guard count > 0 else {
                if !rest.isEmpty { found(String(decoding: rest, as: UTF8.self)) }
                return true
            }
            rest += buffer[..<count]
            while let end = rest.firstIndex(of: 0x0A) {
                found(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeSubrange(...end)
            }
        }
    }
}
