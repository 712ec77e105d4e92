/// Ends a command early: a sentence for a person and a code for a script.
///
/// The sentence says what is wrong, where, and what to do; it contains no key, device token or payload.
package struct CommandError: Error, Equatable, Sendable, CustomStringConvertible {
    package let status: ExitStatus
    package let message: String

    package init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    package static func usage(_ message: String) -> CommandError { CommandError(.usage, message) }
    package static func input(_ message: String) -> CommandError { CommandError(.input, message) }
    package static func configuration(_ message: String) -> CommandError { CommandError(.configuration, message) }

    package var description: String { message }

    /// The one line for a person. File names and arguments may contain any character, so control characters are shown
    /// as spaces: a terminal must not interpret them, and a script reads one line.
    package var line: String { "pushctl: " + message.onOneLine }
}
