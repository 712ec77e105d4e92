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

    /// Looks at the files every 30 s; see ``watching(every:)``.
    public static let watching = Self.watching(every: .seconds(30))

    /// Looks at the files in this interval, 1 s or longer, through symbolic links, as secret stores mount them. Files
    /// that changed, and stayed the same for one interval, are read and take the place of what is in use as by
    /// `PushConnection.reloadCredential()`; if that fails, `LifecycleMessage.credentialReloadFailed` is posted, what is
    /// in use stays, and they are tried again when they change, or after a while: soon if no link came up, else after
    /// 32 looks. The same fault of the files is told once. What is no regular file any more is such a fault, and so is
    /// a file that cannot be read within a minute. A loader or a token source is asked again only if a file beside it
    /// changes, such as the trust roots'; see ``every(_:)``.
    public static func watching(every interval: Duration) -> Self { Self(rule: .watching(interval)) }

    /// Reads files and asks loaders and token sources in this interval, 1 s or longer: for secrets whose change nothing
    /// announces.
    ///
    /// A credential that is unchanged changes nothing, and opens no link. Another one takes the place of what is in use
    /// as by `PushConnection.reloadCredential()`. If reading or loading fails, or no link comes up with what was read,
    /// `LifecycleMessage.credentialReloadFailed` is posted, once for each distinct failure until one succeeds, and what
    /// is in use stays. What no link came up with is tried again after twice as many intervals each time, 32 at most. A
    /// file that is half written when it is read is such a failure, which the next interval ends: ``watching(every:)``
    /// waits for it.
    ///
    /// A loader that does not answer within a minute has failed; it is not asked again while it is being asked. A pool
    /// asks once for all of its connections.
    public static func every(_ interval: Duration) -> Self { Self(rule: .polling(interval)) }

    /// How long between two looks or two polls; nil where there are none.
    var interval: Duration? {
        switch rule {
        case .byCall: nil
        case .watching(let interval), .polling(let interval): interval
        }
    }

    /// Whether only files that changed are read.
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
