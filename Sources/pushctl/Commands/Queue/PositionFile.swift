import Glibc
import PushCampaign
import PushQueue
import PushTerminal

/// The position of a reader, in a file of its own: a line with it, and one that says of which list of which queue it is.
struct PositionFile {
    /// What a position belongs to, as a line: `feedback of orders in /var/lib/push/pushes.db`.
    struct Subject: Equatable, Sendable {
        let text: String

        /// - Parameters:
        ///   - name: The queue's name.
        ///   - location: Where the queue is. A path is made absolute, so that it is the same from each folder.
        init(_ list: OutcomeList, of name: String, in location: QueueLocation) {
            let place =
                switch location {
                case .file(let path): AbsolutePath.of(path)
                case .redis: "\(location)"
                }
            text = "\(list == .feedback ? "feedback" : "outcomes") of \(name) in \(place)".onOneLine
        }
    }

    /// More than a path and a name can have.
    private static let limit = 8_192

    private let path: String
    private let subject: Subject
    /// What the file has.
    private(set) var position: String?

    /// Reads the file, and finds out whether it can be written.
    ///
    /// - Throws: If it cannot be read or written, has no position, or has one of something else.
    init(_ path: String, of subject: Subject) throws(CommandError) {
        (self.path, self.subject) = (path, subject)
        try ReplacedFile.check(path)
        if access(path, F_OK) != 0, errno == ENOENT { return }
        let file = try InputFile(path)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.limit, alignment: 1)
        defer { buffer.deallocate() }
        let count = try file.read(into: buffer)
        let text = String(decoding: buffer.prefix(count), as: UTF8.self)
        let lines = text.split(whereSeparator: \.isNewline)
        guard let line = lines.first, text.hasSuffix("\n"), line.utf8.count < 100, lines.count <= 2 else {
            throw .configuration("\(path) has no position: it is not a file of --position-file. Name another one")
        }
        // A file of an earlier version has the position alone.
        if lines.count == 2, lines[1] != subject.text {
            throw .configuration(
                "\(path) has a position in the \(String(lines[1]).shortened(to: 200)), and not in the \(subject.text). Name another "
                    + "file; or if it is the same queue, remove the file's second line")
        }
        position = String(line)
    }

    /// Stores a position, if it is another one. What was printed into a file reaches the disk before it.
    mutating func store(_ next: String?) throws(CommandError) {
        guard let next, next != position else { return }
        if OutputFile.standardOutput.isRegular { try OutputFile.standardOutput.sync() }
        try ReplacedFile.write(Array("\(next)\n\(subject.text)\n".utf8), to: path, isDurable: true)
        position = next
    }
}
