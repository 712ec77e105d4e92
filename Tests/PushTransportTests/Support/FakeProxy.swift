import Dispatch
import PushLocking

@testable import PushTransport

/// A proxy for one connect: waits for the whole request, then answers as told, in pieces.
final class FakeProxy: @unchecked Sendable {
    // Sendable, because all but `request` and `channel` is touched on `queue` only.
    enum Ending { case stay, close, reset }

    static let endpoint = Endpoint(host: "proxy.example", port: 3128)

    let queue: DispatchQueue
    let request = Locked<[UInt8]>([])
    let channel = Locked<TunnelledChannel?>(nil)
    private let answers: [[UInt8]]
    private let ending: Ending
    /// Set where the channel passes on to a server once the answer is written; before the connect.
    var afterwards: (@Sendable (any ByteChannel) -> Void)?

    init(on queue: DispatchQueue, answers: [[UInt8]], ending: Ending = .stay) {
        self.queue = queue
        self.answers = answers
        self.ending = ending
    }

    func take(_ accepted: any ByteChannel) {
        let channel = TunnelledChannel(accepted, on: queue) { [weak self] event in
            if event == .readable { self?.read() }
        }
        self.channel.withLock { $0 = channel }
        channel.open()
    }

    private func read() {
        guard let channel = channel.withLock({ $0 }) else { return }
        let bytes = withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer -> [UInt8] in
            guard case .bytes(let count) = channel.read(into: buffer) else { return [] }
            return Array(buffer.prefix(count))
        }
        let isWhole = request.withLock { request in
            request += bytes
            return !bytes.isEmpty && request.suffix(4) == [13, 10, 13, 10]
        }
        if isWhole { answer(answers[...], channel) }
    }

    /// Each piece in a turn of its own.
    private func answer(_ rest: ArraySlice<[UInt8]>, _ channel: TunnelledChannel) {
        guard let first = rest.first else {
            switch ending {
            case .stay:
                guard let afterwards else { return }
                channel.establish([])
                afterwards(channel)
            case .close: channel.close()
            case .reset: channel.abort()
            }
            return
        }
        var left = first[...]
        switch first.withUnsafeBytes({ channel.write($0) }) {
        case .taken(let count): left = left.dropFirst(count)
        case .wouldBlock: break
        case .failed: return  // the client has seen enough
        }
        let answers = (left.isEmpty ? [] : [Array(left)]) + rest.dropFirst()
        queue.async { self.answer(answers[...], channel) }
    }

    /// What the proxy finds of the client's end: nil while it is open.
    var clientEnd: ReadResult? {
        queue.sync {
            guard let channel = channel.withLock({ $0 }) else { return nil }
            let result = withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { channel.read(into: $0) }
            switch result {
            case .endOfStream, .failed: return result
            case .bytes, .wouldBlock: return nil
            }
        }
    }
}
