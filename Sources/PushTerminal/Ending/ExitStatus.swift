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
