extension PushError {
    /// Why a push ended without an answer. A struct, so that codes can be added without breaking a `switch` of yours.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name: lower case with underscores, without values, fit for a metric's label.
        public let name: String

        /// Its time was over, while it waited or after it was written; ``PushError/deadline`` says which time that was.
        public static let timedOut = Self(name: "timed_out")
        /// Its `apns-expiration` passed while it waited.
        public static let expired = Self(name: "expired")
        /// The connection's queue is full; ``PushError/load`` says how full.
        public static let overloaded = Self(name: "overloaded")
        /// It waited in a full queue and went for a later push, as ``WhenFull/dropOldest`` says.
        public static let dropped = Self(name: "dropped")
        /// The caller withdrew it.
        public static let cancelled = Self(name: "cancelled")
        /// No process lives under this pid.
        public static let noProcess = Self(name: "no_process")
        /// No connection has this name.
        public static let unknownName = Self(name: "unknown_name")
        /// The connection was closed before the push could go out.
        public static let closed = Self(name: "closed")
        /// The link broke after the push was written.
        public static let connectionLost = Self(name: "connection_lost")
        /// APNs reset the push's stream.
        public static let streamReset = Self(name: "stream_reset")
        /// The answer had no status, or one that is not valid.
        public static let badResponse = Self(name: "bad_response")
        /// The notification cannot be sent as it is.
        public static let invalidRequest = Self(name: "invalid_request")
        /// The payload is larger than APNs takes for its push type, or than ``ConnectionConfig/maxPayloadBytes``.
        public static let payloadTooLarge = Self(name: "payload_too_large")
        /// APNs did not process it, and its resend policy says not to try again.
        public static let unprocessed = Self(name: "unprocessed")
        /// APNs returned it unprocessed too many times.
        public static let tooManyAttempts = Self(name: "too_many_attempts")
        /// APNs refuses the credential for good, see ``CredentialRefusal``: the push was not sent.
        public static let credentialRefused = Self(name: "credential_refused")
        /// A blocking push was called on a queue of the runtime, which it would block without end.
        public static let wouldDeadlock = Self(name: "would_deadlock")
        /// The connection's process failed while the push was in its hands.
        public static let processFailed = Self(name: "process_failed")

        /// The code's name.
        public var description: String { name }
    }
}
