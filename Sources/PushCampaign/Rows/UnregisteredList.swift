import PushTerminal

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
