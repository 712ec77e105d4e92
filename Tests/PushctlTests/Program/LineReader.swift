import Dispatch
import Glibc

/// Reads a pipe line by line whenever there is something, without a thread that waits: other tests count the threads of
/// this process.
final class LineReader: @unchecked Sendable {
    // Sendable: everything that changes does so on `queue`.
    private let queue = DispatchQueue(label: "pushctl.tests.pipe")
    private let descriptor: Int32
    private let source: any DispatchSourceRead
    private let found: @Sendable (String) -> Void
    private var rest: [UInt8] = []

    init(_ descriptor: Int32, _ found: @escaping @Sendable (String) -> Void) {
        self.descriptor = descriptor
        self.found = found
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { [weak self] in self?.read() }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    /// Reads what is left; whoever writes has ended.
    func finish() {
        queue.sync {
            read()
            if !rest.isEmpty { found(String(decoding: rest, as: UTF8.self)) }
            rest = []
            source.cancel()
        }
    }

    private func read() {
        guard !source.isCancelled else { return }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                // At the end of a pipe a source would fire for ever.
                if count == 0 { source.cancel() }
                break
            }
            rest += buffer[..<count]
        }
        while let end = rest.firstIndex(of: 0x0A) {
            found(String(decoding: rest[..<end], as: UTF8.self))
            rest.removeSubrange(...end)
        }
    }
}
