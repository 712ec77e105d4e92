import Glibc

/// The exit codes that scripts depend on.
package enum ExitStatus: Int32, Sendable, CaseIterable {
    case success = 0
    /// A push was rejected or failed.
    case rejectedOrFailed = 1
    /// Whether a push was delivered is unknown.
    case unknown = 2
    /// The command line is wrong.
    case usage = 64
    /// The input is unreadable, empty, or a CSV file without a `token` column.
    case input = 66
    /// No link came up, or an outage lasted longer than allowed, also one in which APNs answers and does not serve.
    case unavailable = 69
    /// The credential was refused; except for `worker`, only if nothing was accepted. Or what all pushes share was refused
    /// for longer than an outage may last.
    case refused = 77
    /// The configuration is wrong, including key and certificate files.
    case configuration = 78
    case hungUp = 129
    case interrupted = 130
    case terminated = 143
}

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

/// Ends at once, without the work of a normal exit: OpenSSL would clean up while a connection still uses it on another
/// thread. Nothing is lost, because no output uses the C library's buffers.
package func endProgram(_ code: Int32) -> Never {
    fflush(nil)
    _exit(code)
}
