import ArgumentParser
import PushTerminal

/// What became of the things that a command line names: a line for each.
struct ResultLines: Sendable {
    enum Word: String, Sendable {
        case cancelled
        case taken
        case requeued
        case discarded
        case notFound = "not_found"
        /// Several have this name.
        case ambiguous
    }

    struct Line: Sendable {
        /// As it was given.
        let name: String
        /// Its members in JSON, before the result.
        let members: [(name: String, value: String?)]
        let word: Word
    }

    private let done: Word
    private let lines: [Line]
    let note: String?

    /// - Parameters:
    ///   - done: The word for what was asked for.
    ///   - note: What a person should also know, for standard error.
    init(done: Word, _ lines: [Line], note: String? = nil) {
        (self.done, self.lines, self.note) = (done, lines, note)
    }

    /// Whether each line says what was asked for.
    var isWhole: Bool { lines.allSatisfy { $0.word == done } }

    func bytes(asJSON: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        for line in lines {
            if asJSON {
                var object = JSONLine()
                for (name, value) in line.members { object.add(name, value) }
                object.add("result", line.word.rawValue)
                object.append(to: &bytes)
            } else {
                bytes += Array("\(line.name.onOneLine) \(line.word.rawValue)\n".utf8)
            }
        }
        return bytes
    }

    /// Prints the lines.
    ///
    /// - Throws: Exit code 1 unless all was done.
    func print(asJSON: Bool) throws {
        try OutputFile.standardOutput.write(bytes(asJSON: asJSON))
        if let note { StandardError.write(note) }
        if !isWhole { throw ExitCode(ExitStatus.rejectedOrFailed.rawValue) }
    }
}
