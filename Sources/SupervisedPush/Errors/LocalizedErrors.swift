import FoundationEssentials
import ProcessRuntime

// The text of `localizedDescription`, which Foundation gives to every error, is the sentence of `description`.

extension ChannelError: LocalizedError {
    /// The sentence of `description`.
    public var errorDescription: String? { description }
}

extension StatusSocketError: LocalizedError {
    /// The sentence of `description`.
    public var errorDescription: String? { description }
}

extension LinkFailure: LocalizedError {
    /// The sentence of `description`.
    public var errorDescription: String? { description }
}

extension ConnectError: LocalizedError {
    /// The sentence of `description`.
    public var errorDescription: String? { description }
}

extension CredentialRefusal: LocalizedError {
    /// The sentence of `description`.
    public var errorDescription: String? { description }
}

extension LookupError: LocalizedError {
    /// The sentence of `description`.
    public var errorDescription: String? { description }
}

extension PushError: LocalizedError {
    /// The sentence of `description`.
    public var errorDescription: String? { description }
}

extension NotUpError: LocalizedError {
    /// The sentence of `description`.
    public var errorDescription: String? { description }
}

// Those of ProcessRuntime are here, because that module does without Foundation.

extension InvalidRestartIntensity: LocalizedError {
    /// The sentence of `description`.
    public var errorDescription: String? { description }
}

extension NoProcess: LocalizedError {
    /// The sentence of `description`.
    public var errorDescription: String? { description }
}

extension SupervisorError: LocalizedError {
    /// The sentence of `description`.
    public var errorDescription: String? { description }
}
