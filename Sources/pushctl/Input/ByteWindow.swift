/// The part of an input that was read and not yet consumed: one buffer, refilled at its end.
///
/// Positions count from the first byte that was not consumed, so they stay valid when more is read.
struct ByteWindow {
    /// Puts bytes into the buffer and returns how many; 0 at the end of the input. May throw a `CommandError`.
    typealias Fill = (UnsafeMutableRawBufferPointer) throws(CommandError) -> Int

    private static let chunk = 65_536

    private var storage: [UInt8] = []
    /// The content is `start..<end`; after it there is room.
    private var start = 0
    private var end = 0
    private let fill: Fill
    private(set) var isAtEnd = false
    /// The physical line of the first byte, from 1.
    private(set) var line = 1
    private(set) var bytesConsumed: UInt64 = 0

    init(fill: @escaping Fill) {
        self.fill = fill
    }

    var count: Int { end - start }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        storage.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    }

    /// Reads once more. Returns false at the end of the input.
    mutating func readMore() throws(CommandError) -> Bool {
        guard !isAtEnd else { return false }
        makeRoom()
        var failure: CommandError?
        let read = storage.withUnsafeMutableBytes { buffer in
            do throws(CommandError) {
                return try fill(UnsafeMutableRawBufferPointer(rebasing: buffer[end...]))
            } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        end += read
        isAtEnd = read == 0
        return read > 0
    }

    /// Makes room for at least a chunk: either the content moves to the front, which happens to each byte a few times
    /// at most, or the storage grows. Readers keep a record and a chunk, so it stays small.
    private mutating func makeRoom() {
        guard storage.count - end < Self.chunk else { return }
        if start > 0 {
            storage.withUnsafeMutableBytes { buffer in
                let held = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
                UnsafeMutableRawBufferPointer(rebasing: buffer[..<held.count]).copyMemory(from: held)
            }
            end -= start
            start = 0
        }
        let missing = end + Self.chunk - storage.count
        if missing > 0 { storage += [UInt8](repeating: 0, count: max(missing, 2 * Self.chunk)) }
    }

    /// Consumes bytes and counts their line feeds.
    mutating func consume(_ count: Int) {
        for index in start..<(start + count) where storage[index] == ASCII.lineFeed { line += 1 }
        start += count
        bytesConsumed += UInt64(count)
    }

    /// Consumes the rest of the physical line, including its line feed, whatever its length.
    mutating func consumeLine() throws(CommandError) {
        while true {
            if let end = withBytes({ $0.firstIndex(of: ASCII.lineFeed) }) { return consume(end + 1) }
            consume(count)
            guard try readMore() else { return }
        }
    }

    /// Consumes a byte order mark at the beginning; some spreadsheets write one before UTF-8.
    mutating func consumeByteOrderMark() throws(CommandError) {
        while count < 3 { guard try readMore() else { break } }
        if withBytes({ $0.starts(with: [0xEF, 0xBB, 0xBF]) }) { consume(3) }
    }
}
