import Dispatch
import PushTransport

/// Reads a socket line by line whenever there is something, without a thread that waits: other tests count the threads of this process.
///
/// By a `SocketChannel`, because Dispatch itself must not watch a socket that can hang up.
package final class LineReader: @unchecked Sendable {
    // Sendable: everything that changes does so on its queue, or before it is shared.
    private let channel: SocketChannel
    private let queue = DispatchQueue(label: "test.lines", target: .global())
    private let found: @Sendable ([UInt8]) -> Void
    private let atEnd: @Sendable ([UInt8]) -> Void
    private var rest: [UInt8] = []
    private var isEnded = false

    /// - Parameters:
    ///   - found: Called with each line.
    ///   - atEnd: Called once, with what follows the last line feed, when the socket is closed.
    package init(
        _ channel: SocketChannel, found: @escaping @Sendable ([UInt8]) -> Void,
        atEnd: @escaping @Sendable ([UInt8]) -> Void
    ) {
        (self.channel, self.found, self.atEnd) = (channel, found, atEnd)
    }

    /// Reads to the end, which closes the socket. Until then the channel holds the reader.
    package func begin() { queue.sync { channel.activate(on: queue) { [self] _ in readOn() } } }

    package func write(_ bytes: [UInt8]) { queue.sync { _ = bytes.withUnsafeBytes { channel.write($0) } } }

    /// Leaves before the end.
    package func close() { queue.async { self.end() } }

    private func readOn() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            switch buffer.withUnsafeMutableBytes({ channel.read(into: $0) }) {
            case .wouldBlock: return
            case .bytes(let count): split(buffer[..<count])
            case .endOfStream, .failed: return end()
            }
        }
    }

    private func split(_ bytes: ArraySlice<UInt8>) {
        var bytes = bytes
        while let end = bytes.firstIndex(of: 0x0A) {
            found(rest + bytes[..<end])
            (rest, bytes) = ([], bytes[(end + 1)...])
        }
        rest += bytes
    }

    private func end() {
        guard !isEnded else { return }
        isEnded = true
        channel.close()
        atEnd(rest)
    }
}
