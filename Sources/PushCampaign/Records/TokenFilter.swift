import PushTerminal

/// The device tokens of records, each once. A token takes about 40 bytes, whatever its length.
package struct SeenTokens: Sendable {
    /// The most tokens: what they take is bounded.
    package static let most = 20_000_000

    /// 128 bits of a token, by a key that each process makes: two tokens with the same do not occur.
    private struct Fingerprint: Hashable {
        let high: Int
        let low: Int

        init(_ text: String) {
            // Capital digits are the same token.
            let token = text.lowercased()
            func hash(_ salt: UInt8) -> Int {
                var hasher = Hasher()
                hasher.combine(salt)
                hasher.combine(token)
                return hasher.finalize()
            }
            (high, low) = (hash(0), hash(1))
        }

        // Both halves are hashes already.
        func hash(into hasher: inout Hasher) { hasher.combine(low) }
    }

    private let most: Int
    private var tokens: Set<Fingerprint> = []

    package init(most: Int = most) { self.most = most }

    package var isEmpty: Bool { tokens.isEmpty }

    package func contains(_ token: String) -> Bool { tokens.contains(Fingerprint(token)) }

    /// Adds a token; false if it was there, and nil if there is no room for it.
    package mutating func insert(_ token: String) -> Bool? {
        let fingerprint = Fingerprint(token)
        guard tokens.count < most else { return tokens.contains(fingerprint) ? false : nil }
        return tokens.insert(fingerprint).inserted
    }
}

/// Leaves out records because of their device token: those of a file, and those that were there before.
package struct TokenFilter: Sendable {
    /// How many records it has left out.
    package struct Counts: Sendable, Equatable {
        package var duplicates = 0
        package var excluded = 0

        package init() {}

        /// `left out 3 duplicates and 12 excluded tokens`; nil if there is none.
        package var text: String? {
            var parts: [String] = []
            if duplicates > 0 { parts.append(Figures.counted(duplicates, one: "duplicate", many: "duplicates")) }
            if excluded > 0 {
                parts.append(Figures.counted(excluded, one: "excluded token", many: "excluded tokens"))
            }
            return parts.isEmpty ? nil : "left out " + parts.joined(separator: " and ")
        }
    }

    private var excluded: SeenTokens
    private var seen: SeenTokens?
    package private(set) var counts = Counts()

    /// Reads the files.
    ///
    /// - Parameters:
    ///   - leavesOutDuplicates: Whether only the first record of a token is taken.
    ///   - files: CSV with a column `token`, or NDJSON with such a member by the file's name.
    ///   - most: The most tokens of the files, and of the records.
    /// - Throws: Status 66 if a file cannot be read or has too many tokens.
    package init(
        leavesOutDuplicates: Bool, excluding files: [String], most: Int = SeenTokens.most
    ) throws(CommandError) {
        excluded = SeenTokens(most: most)
        seen = leavesOutDuplicates ? SeenTokens(most: most) : nil
        for path in files { try exclude(path) }
    }

    private mutating func exclude(_ path: String) throws(CommandError) {
        let file = try InputFile(path)
        var reader = try RecordReaders.open(
            RecordFormat(fileName: path), delimiter: ASCII.comma, name: path
        ) { buffer throws(CommandError) in try file.read(into: buffer) }
        while let record = try reader.next() {
            if record.token.isEmpty {
                throw .input("\(path), line \(record.line): \(record.problem ?? "there is no token")")
            }
            if excluded.insert(record.token) == nil { throw Self.tooMany("the files of --exclude have") }
        }
    }

    /// Whether a record is left out. Call it for each record, in their order. One that cannot be read is never left out:
    /// it gets its row, and is not the first of its token.
    ///
    /// - Throws: Status 66 if there are too many tokens to tell.
    package mutating func leavesOut(_ record: InputRecord) throws(CommandError) -> Bool {
        guard record.problem == nil else { return false }
        if !excluded.isEmpty, excluded.contains(record.token) {
            counts.excluded += 1
            return true
        }
        guard seen != nil else { return false }
        guard let isNew = seen?.insert(record.token) else { throw Self.tooMany("--dedupe: the input has") }
        if !isNew { counts.duplicates += 1 }
        return !isNew
    }

    private static func tooMany(_ subject: String) -> CommandError {
        .input("\(subject) more than \(Figures.grouped(SeenTokens.most)) tokens; use sort -u on several parts of it")
    }
}
