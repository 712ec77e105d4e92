import Glibc
import PushCampaign
import PushTerminal

/// The position of a reader, in a file of its own.
struct PositionFile {
    private let path: String
    /// What the file has.
    private(set) var position: String?

    /// Reads the file.
    ///
    /// - Throws: If it cannot be read, or has no position.
    init(_ path: String) throws(CommandError) {
        self.path = path
        if access(path, F_OK) != 0, errno == ENOENT { return }
        let file = try InputFile(path)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 128, alignment: 1)
        defer { buffer.deallocate() }
        let count = try file.read(into: buffer)
        let text = String(decoding: buffer.prefix(count), as: UTF8.self)
        guard let line = text.split(whereSeparator: \.isNewline).first, text.hasSuffix("\n"), line.utf8.count < 100
        else {
            throw .configuration("\(path) has no position: it is not a file of --position-file. Name another one")
        }
        position = String(line)
    }

    /// Stores a position, if it is another one.
    mutating func store(_ next: String?) throws(CommandError) {
        guard let next, next != position else { return }
        try ReplacedFile.write(Array("\(next)\n".utf8), to: path)
        position = next
    }
}
