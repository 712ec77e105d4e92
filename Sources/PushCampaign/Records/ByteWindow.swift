import PushTerminal
import SupervisedPush

/// The part of an input that was read and not yet consumed: one buffer, refilled at its end.
///
/// Positions count from the first byte that was not consumed, so they stay valid when more is read.
struct ByteWindow {
    /// Puts bytes into the buffer and returns how many; 0 at the end of the input. May throw a `CommandError`.
    typealias Fill = (UnsafeMutableRawBufferPointer) throws(CommandError) -> Int

    private static let chunk = 65_536

    private var storage = Storage(count: 0)
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

    /// The bytes, valid until the window is changed. A closure that received them would have to capture its reader,
    /// and copying that for each record cost more than finding its fields.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage.memory[start..<end]) }

    /// Reads once more. Returns false at the end of the input.
    mutating func readMore() throws(CommandError) -> Bool {
        guard !isAtEnd else { return false }
        makeRoom()
        let read = try fill(UnsafeMutableRawBufferPointer(rebasing: storage.memory[end...]))
        end += read
        isAtEnd = read == 0
        return read > 0
    }

    /// Makes room for at least a chunk: either the content moves to the front, which happens to each byte a few times
    /// at most, or the storage grows. Readers keep a record and a chunk, so it stays small.
    private mutating func makeRoom() {
        guard storage.memory.count - end < Self.chunk else { return }
        let held = bytes
        let isTooSmall = held.count + Self.chunk > storage.memory.count
        let target = isTooSmall ? Storage(count: held.count + 3 * Self.chunk) : storage
        UnsafeMutableRawBufferPointer(rebasing: target.memory[..<held.count]).copyMemory(from: held)
        (storage, start, end) = (target, 0, held.count)
    }

    /// Consumes bytes and counts their line feeds.
    mutating func consume(_ count: Int) {
        line += UnsafeRawBufferPointer(rebasing: bytes[..<count]).count(of: ASCII.lineFeed)
        start += count
        bytesConsumed += UInt64(count)
    }

    /// Consumes the rest of the physical line, including its line feed, whatever its length.
    mutating func consumeLine() throws(CommandError) {
        while true {
            if let end = bytes.position(of: ASCII.lineFeed) { return consume(end + 1) }
            consume(count)
            guard try readMore() else { return }
        }
    }

    /// Consumes a byte order mark at the beginning; some spreadsheets write one before UTF-8.
    ///
    /// - Parameter name: The input's name, for the error if it is something other than UTF-8.
    mutating func consumeBeginning(of name: String) throws(CommandError) {
        while count < ForeignInput.length { guard try readMore() else { break } }
        if let problem = ForeignInput.problem(bytes, name: name) { throw .input(problem) }
        consume(TextEncoding.markLength(bytes))
    }

    private final class Storage {
        let memory: UnsafeMutableRawBufferPointer

        init(count: Int) { memory = .allocate(byteCount: count, alignment: 1) }

        deinit { memory.deallocate() }
    }
}

/// Inputs that are neither CSV nor NDJSON, by their first bytes.
enum ForeignInput {
    /// The longest of the beginnings.
    static let length = TextEncoding.beginning

    /// What to do about it; nil if the bytes may be text.
    ///
    /// - Parameter name: The input's name.
    static func problem(_ bytes: UnsafeRawBufferPointer, name: String) -> String? {
        let program: String
        switch (bytes.first, bytes.dropFirst().first) {
        case (0x1F, 0x8B): program = "zcat"
        case (0x28, 0xB5): program = "zstdcat"
        case (0x50, 0x4B) where bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]):
            return "\(name) is a zip archive or a spreadsheet; save it as CSV in UTF-8"
        default:
            return TextEncoding.conversion(bytes, name: name).map { "\(name) is UTF-16: \($0) | pushctl bulk - …" }
        }
        return "\(name) is compressed: \(program) \(name) | pushctl bulk - …"
    }
}
