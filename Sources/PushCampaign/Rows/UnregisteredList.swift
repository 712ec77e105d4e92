import PushTerminal
import SupervisedPush

/// Writes the device tokens that APNs calls gone, each with its time: what to delete.
///
/// Its rows are those of the outcomes with the status 410, in the same order, so that they can be told from those.
package struct UnregisteredList: ~Copyable {
    package static let header = "token,timestamp\n"
    private static let batch = 65_536

    private let file: OutputFile
    private var buffer: [UInt8] = []
    /// The first failure, if any. Rows were lost.
    package private(set) var failure: CommandError?

    /// Writes the header, unless the file has one.
    package init(_ file: consuming OutputFile) throws(CommandError) {
        self.file = file
        if !self.file.isContinued { try self.file.write(Array(Self.header.utf8)) }
    }

    package static func append(token: String, timestamp: Int64?, to bytes: inout [UInt8]) {
        bytes.append(addingCapacity: 2 * token.utf8.count + 32) { row in
            row.append(csv: token)
            row.append(ASCII.comma)
            if let timestamp { row.append(decimal: timestamp) }
            row.append(ASCII.lineFeed)
        }
    }

    package mutating func append(token: String, timestamp: Int64?) throws(CommandError) {
        guard failure == nil else { return }
        Self.append(token: token, timestamp: timestamp, to: &buffer)
        if buffer.count >= Self.batch { try flush() }
    }

    /// Writes the buffered rows.
    package mutating func flush() throws(CommandError) {
        guard failure == nil, !buffer.isEmpty else { return }
        defer { buffer.removeAll(keepingCapacity: true) }
        let size = file.size
        do throws(CommandError) { try file.write(buffer) } catch {
            failure = error
            // A full disk takes a part of the buffer. Half a token would be another device's.
            let taken = buffer.prefix(Int(clamping: file.size - min(size, file.size)))
            let whole = taken.lastIndex(of: ASCII.lineFeed).map { $0 + 1 } ?? 0
            if !taken.isEmpty { try? file.truncate(to: size + UInt64(whole)) }
            throw error
        }
    }

    /// Cuts off what follows a position.
    package func truncate(to size: UInt64) throws(CommandError) { try file.truncate(to: size) }
}

/// Makes the list of `--unregistered` what a journal's outcomes say, before a run goes on: a kill may have left rows in
/// the one file and not in the other.
///
/// A list that belongs to these outcomes is the beginning of what they say, or goes beyond it. Any other file is refused.
struct UnregisteredResumption: ~Copyable {
    private let path: String
    private let known: InputFile
    private var list: UnregisteredList
    /// Up to here, the file is what the outcomes say.
    private var end = UInt64(UnregisteredList.header.utf8.count)
    /// Whether the file has ended, so that rows are added.
    private var isBehindEnd = false

    /// Opens the list, and adds or cuts off what is needed.
    ///
    /// - Parameters:
    ///   - isNew: Whether the journal is new; then so is the list.
    ///   - outcomes: The path of the outcomes file.
    static func open(
        _ request: OutputRequest, isNew: Bool, outcomes: String
    ) throws(CommandError) -> UnregisteredList {
        let header = UInt64(UnregisteredList.header.utf8.count)
        let size = isNew ? 0 : try size(of: request.path)
        if size < header, try !isTornHeader(request.path, size) { throw foreign(request.path) }
        let list = try UnregisteredList(request.resuming(behind: size < header ? 0 : header).open())
        if isNew { return list }
        var resumption = UnregisteredResumption(path: request.path, known: try InputFile(request.path), list: list)
        try resumption.adopt(outcomes)
        return resumption.finished()
    }

    private init(path: String, known: InputFile, list: consuming UnregisteredList) {
        self.path = path
        self.known = known
        self.list = list
    }

    /// 0 if there is no such file.
    private static func size(of path: String) throws(CommandError) -> UInt64 {
        FileIdentity(at: path) == nil ? 0 : try InputFile(path).size ?? 0
    }

    /// Whether a file that is shorter than a header is the beginning of one, as after a crash.
    private static func isTornHeader(_ path: String, _ size: UInt64) throws(CommandError) -> Bool {
        guard size > 0 else { return true }
        let file = try InputFile(path)
        var bytes = [UInt8](repeating: 0, count: Int(size))
        let result = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(CommandError) in try file.read(at: 0, into: buffer) }
        }
        return UnregisteredList.header.utf8.starts(with: bytes.prefix(try result.get()))
    }

    private mutating func adopt(_ outcomes: String) throws(CommandError) {
        let file = try InputFile(outcomes)
        var rows = WrittenRows { buffer throws(CommandError) in try file.read(into: buffer) }
        guard try rows.readHeader() else { return }
        while let row = try rows.next() {
            if row.status == 410 { try adopt(row) }
        }
        if !isBehindEnd { try cutOff() }
        try list.flush()
    }

    /// Removes rows that the outcomes do not have, at the end of a list that begins with some that they have.
    private mutating func cutOff() throws(CommandError) {
        let header = UInt64(UnregisteredList.header.utf8.count)
        guard end > header || (known.size ?? 0) <= header else { throw Self.foreign(path) }
        try list.truncate(to: end)
    }

    private static func foreign(_ path: String) -> CommandError {
        .input("\(path) is not the list of this journal's outcomes; restore it, or name a new file")
    }

    private mutating func adopt(_ row: OutcomeRow) throws(CommandError) {
        if isBehindEnd { return try list.append(token: row.token, timestamp: row.timestamp) }
        var expected: [UInt8] = []
        UnregisteredList.append(token: row.token, timestamp: row.timestamp, to: &expected)
        let found = try bytes(expected.count)
        guard expected.starts(with: found) else {
            throw Self.foreign(path)
        }
        if found.count == expected.count {
            end += UInt64(expected.count)
            return
        }
        // The end, perhaps with a row that a crash has torn.
        try list.truncate(to: end)
        isBehindEnd = true
        try list.append(token: row.token, timestamp: row.timestamp)
    }

    /// The bytes at the present end, this many at most.
    private func bytes(_ most: Int) throws(CommandError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: most)
        var failure: CommandError?
        let count = bytes.withUnsafeMutableBytes { buffer in
            do throws(CommandError) { return try known.read(at: end, into: buffer) } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        return Array(bytes[..<count])
    }

    private consuming func finished() -> UnregisteredList { list }
}
