/// When a connection reads its credential and its trust roots again.
public struct CredentialReload: Sendable, Hashable, CustomStringConvertible {
    enum Rule: Sendable, Hashable {
        case byCall
        case watching(Duration)
        case polling(Duration)
    }

    let rule: Rule

    /// Only by `PushConnection.reloadCredential()`, `reloadCredentials()` and `replaceCredential(with:trust:)`. The
    /// default.
    public static let byCall = Self(rule: .byCall)

    /// Checks the files every 30 s; see ``watching(every:)``.
    public static let watching = Self.watching(every: .seconds(30))

    /// Checks the files at this interval, 1 s or longer. It follows symbolic links, as secret stores mount them.
    ///
    /// Files that changed, and then stayed the same for one interval, are read and replace what is in use, as with
    /// `PushConnection.reloadCredential()`. If that fails, `LifecycleMessage.credentialReloadFailed` is posted and what
    /// is in use stays. The files are tried again when they change, or after a while: soon if no link came up,
    /// otherwise after 32 checks. The same fault is reported once. A file that is no longer a regular file, or that
    /// cannot be read within a minute, is such a fault.
    ///
    /// A loader or a token source is called again only if a file used with it changes, such as the trust roots; see
    /// ``every(_:)``.
    public static func watching(every interval: Duration) -> Self { Self(rule: .watching(interval)) }

    /// Reads files and calls loaders and token sources at this interval, 1 s or longer. For secrets whose changes are
    /// not announced.
    ///
    /// If the credential is unchanged, nothing happens and no link opens. A different one replaces what is in use, as
    /// with `PushConnection.reloadCredential()`. If reading or loading fails, or if no link comes up with what was
    /// read, `LifecycleMessage.credentialReloadFailed` is posted, once for each distinct failure until one succeeds,
    /// and what is in use stays. A credential with which no link came up is tried again after twice as many intervals
    /// each time, at most 32. A file that is read half-written is such a failure, which the next interval ends;
    /// ``watching(every:)`` avoids it.
    ///
    /// A loader that does not answer within a minute has failed; it is not called again before that call ends. A pool
    /// reads once for all of its connections.
    public static func every(_ interval: Duration) -> Self { Self(rule: .polling(interval)) }

    /// The time between two checks or two polls; nil if there are none.
    var interval: Duration? {
        switch rule {
        case .byCall: nil
        case .watching(let interval), .polling(let interval): interval
        }
    }

    /// Whether only changed files are read.
    var watchesFiles: Bool { if case .watching = rule { true } else { false } }

    /// `by call`, `watching every` and the interval, or `every` and the interval.
    public var description: String {
        switch rule {
        case .byCall: "by call"
        case .watching(let interval): "watching every \(interval)"
        case .polling(let interval): "every \(interval)"
        }
    }
}
