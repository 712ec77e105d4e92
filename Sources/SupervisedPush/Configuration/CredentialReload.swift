/// When a connection reads the files of its credential and of its trust roots again.
public struct CredentialReload: Sendable, Hashable, CustomStringConvertible {
    /// How long between two looks at the files; nil: nobody looks.
    let interval: Duration?

    /// Only by `PushRuntime.reloadCredential(name:)` and `replaceCredential(name:with:trust:)`. The default.
    public static let byCall = Self(interval: nil)

    /// Looks at the files every 30 s; see ``watching(every:)``.
    public static let watching = Self.watching(every: .seconds(30))

    /// Looks at the files so often, 1 s or longer, through symbolic links, as secret stores mount them. Files that changed,
    /// and stayed the same for one interval, are read and take the place of what is in use as by
    /// `PushRuntime.reloadCredential(name:)`; if that fails, `LifecycleMessage.credentialReloadFailed` is posted, what is in
    /// use stays, and they are tried again when they change, or after a while: soon if no link came up, else after 32 looks. The
    /// same fault of the files is told once. What is no regular file any more is such a fault, and so is a file that cannot be read within a
    /// minute. A loader or a token source is asked again only if a file beside it changes, such as
    /// the trust roots'.
    public static func watching(every interval: Duration) -> Self { Self(interval: interval) }

    /// `by call`, or the interval.
    public var description: String { interval.map { "every \($0)" } ?? "by call" }
}
