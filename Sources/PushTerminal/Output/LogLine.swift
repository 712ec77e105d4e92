import ProcessRuntime

/// A line on standard error: what it says, of which queue, and the figures in it. ``StandardError`` writes it as text for a
/// person, or as a JSON object for a collector of logs.
package struct LogLine: Sendable, Equatable {
    /// How much a line matters.
    package enum Level: String, Sendable {
        case info, warning, error
    }

    /// A value that a line has beside its words.
    package enum Value: Sendable, Equatable {
        /// Nil if it is not known.
        case count(Int?)
        case number(Double)
        case text(String?)
        /// JSON on one line.
        case json([UInt8])
    }

    /// A value with its name.
    package struct Field: Sendable, Equatable {
        let name: String
        let value: Value

        package init(_ name: String, _ value: Value) { (self.name, self.value) = (name, value) }
    }

    private static let program = "pushctl: "

    package var level: Level
    /// The queue that it is about; nil if it is about no single one.
    package var queue: String?
    /// What it says, without the names of program and queue.
    package let message: String
    /// What is in JSON only; a text has it in its words.
    package var fields: [Field]
    private let namesProgram: Bool

    /// - Parameter text: As a person reads it, with or without the program's name.
    package init(_ text: String, _ level: Level = .info, queue: String? = nil, _ fields: [Field] = []) {
        namesProgram = text.hasPrefix(Self.program)
        message = namesProgram ? String(text.dropFirst(Self.program.count)) : text
        (self.level, self.queue, self.fields) = (level, queue, fields)
    }

    /// The error that ends a command.
    package init(_ error: CommandError, queue: String? = nil) { self.init(error.line, .error, queue: queue) }

    /// The same line, about a queue.
    package func of(_ queue: String) -> LogLine {
        var line = self
        line.queue = queue
        return line
    }

    /// For a person.
    package var text: String {
        // What has not the program's name is a table's line, which has its own beginning.
        guard namesProgram else { return message }
        return Self.program + (queue.map { "\($0.onOneLine): " } ?? "") + message
    }

    /// A JSON object, without a line feed.
    ///
    /// - Parameter time: Milliseconds since 1970.
    package func json(at time: Int64) -> String {
        var object = JSONLine()
        object.add("time", UTC.text(milliseconds: time))
        object.add("level", level.rawValue)
        if let queue { object.add("queue", queue) }
        object.add("message", message)
        var nested: [(name: String, json: [UInt8])] = []
        for field in fields {
            switch field.value {
            case .count(let count): object.add(field.name, count)
            case .number(let number): object.add(field.name, seconds: number)
            case .text(let text): object.add(field.name, text)
            case .json(let json): nested.append((field.name, json))
            }
        }
        return String(decoding: object.line(ending: nested).dropLast(), as: UTF8.self)
    }
}
