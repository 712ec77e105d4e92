/// Why a connection is not up: what ``PushConnection/waitUntilUp(timeout:)`` throws.
public struct NotUpError: Error, Sendable, CustomStringConvertible {
    /// The kinds of error. A struct, so that codes can be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name: lower case with underscores, suitable as a metric's label.
        public let name: String

        /// The time was over. The connection continues to dial; ``NotUpError/outage`` says why it is not up yet.
        public static let timedOut = Self(name: "timed_out")
        /// APNs refuses the credential.
        public static let credentialRefused = Self(name: "credential_refused")
        /// The connection was closed or given up, or the process that the handle means has ended; see
        /// ``NotUpError/lookup``.
        public static let ended = Self(name: "ended")
        /// The waiting task was cancelled.
        public static let cancelled = Self(name: "cancelled")

        /// The code's name.
        public var description: String { name }
    }

    /// What is wrong.
    public let code: Code
    /// Why no link is up, and when the next attempt begins; nil if no attempt has failed yet.
    public let outage: Outage?
    /// Why APNs refused the credential, if known.
    public let refusal: CredentialRefusal?
    /// How the connection ended.
    public let lookup: LookupError?
    /// What happened and what to do, in one or two sentences.
    public let description: String

    private init(
        _ code: Code, outage: Outage? = nil, refusal: CredentialRefusal? = nil, lookup: LookupError? = nil,
        _ description: String
    ) {
        self.code = code
        self.outage = outage
        self.refusal = refusal
        self.lookup = lookup
        self.description = description
    }

    static func timedOut(after time: Duration, outage: Outage?) -> Self {
        Self(
            .timedOut, outage: outage,
            "The connection did not come up within \(time) and is still dialling. "
                + (outage?.sentence ?? "The first attempt has not ended yet."))
    }

    static func refused(_ refusal: CredentialRefusal?) -> Self {
        Self(
            .credentialRefused, refusal: refusal,
            refusal?.description
                ?? "The connection is suspended: APNs refuses its credential. The message `suspended` says why."
        )
    }

    static func ended(_ error: LookupError) -> Self {
        Self(.ended, refusal: error.refusal, lookup: error, error.description)
    }

    static func cancelled() -> Self {
        Self(.cancelled, "The task that waited for the connection was cancelled.")
    }
}
