import DequeModule
import Dispatch
import Glibc
import ProcessRuntime
import PushLocking

/// One direction of a relayed connection.
final class RelayLane: Sendable {
    private struct Chunk {
        let due: UInt64
        let bytes: [UInt8]
    }

    private static let chunkBytes = 64 << 10

    private let source: Int32
    private let sink: Int32
    private let isUp: Bool
    private let delay: UInt64
    private let state: RelayState
    private let queue = Locked(Deque<Chunk>())
    private let filled = DispatchSemaphore(value: 0)
    /// Places for what is on its way.
    private let room = DispatchSemaphore(value: 4_096)

    init(from source: Int32, to sink: Int32, isUp: Bool, _ delay: Duration, _ state: RelayState) {
        self.source = source
        self.sink = sink
        self.isUp = isUp
        self.delay = UInt64(delay / .nanoseconds(1))
        self.state = state
    }

    /// Calls `ended` once, when the direction is closed and everything was passed on.
    func start(_ ended: @escaping @Sendable () -> Void) {
        if delay == 0 {
            DetachedThread.start { [self] in
                read { write($0) }
                ended()
            }
        } else {
            DetachedThread.start { [self] in
                read { enqueue(Array($0)) }
                enqueue([])
            }
            DetachedThread.start { [self] in
                writeWhenDue()
                ended()
            }
        }
    }

    private func read(_ use: (UnsafeRawBufferPointer) -> Void) {
        var records = TLSRecordCounter()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunkBytes, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            let count = recv(source, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return }
            guard !state.swallows else { continue }
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            let before = records.records
            records.take(bytes)
            state.totals.withLock { totals in
                if isUp {
                    totals.bytesUp += count
                    totals.recordsUp += records.records - before
                } else {
                    totals.bytesDown += count
                }
            }
            use(bytes)
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = UnsafeRawBufferPointer(rebasing: rest).withMemoryRebound(to: UInt8.self) {
                send(sink, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// No bytes: the end.
    private func enqueue(_ bytes: [UInt8]) {
        room.wait()
        let due = DispatchTime.now().uptimeNanoseconds + delay
        queue.withLock { $0.append(Chunk(due: due, bytes: bytes)) }
        filled.signal()
    }

    private func writeWhenDue() {
        while true {
            filled.wait()
            guard let chunk = queue.withLock({ $0.popFirst() }) else { continue }
            room.signal()
            let now = DispatchTime.now().uptimeNanoseconds
            if chunk.due > now { usleep(UInt32((chunk.due - now + 999) / 1_000)) }
            guard !chunk.bytes.isEmpty else { return }
            if !state.swallows { chunk.bytes.withUnsafeBytes { write($0) } }
        }
    }
}
