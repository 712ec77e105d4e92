/// The exit codes scripts depend on.
package enum ExitStatus: Int32, Sendable, CaseIterable {
    case success = 0
    /// A push was rejected or failed.
    case rejectedOrFailed = 1
    /// The fate of a push is unknown.
    case unknown = 2
    /// The command line is wrong.
    case usage = 64
    /// The input is unreadable, empty, or a CSV file without a `token` column.
    case input = 66
    /// No link came up, or the longest outage allowed was exceeded.
    case unavailable = 69
    /// The credential was refused and nothing was accepted.
    case refused = 77
    /// The configuration is wrong, a key or certificate file included.
    case configuration = 78
    case hungUp = 129
    case interrupted = 130
    case terminated = 143
}
