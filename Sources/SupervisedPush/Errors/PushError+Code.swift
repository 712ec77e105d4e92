extension PushError {
    /// Why a push ended without an answer. A struct, so that codes can be added without breaking a `switch` of yours.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name: lower case with underscores, suitable as a metric's label.
        public let name: String

        /// Its time was over while it waited or after it was written; ``PushError/deadline`` says which one.
        public static let timedOut = Self(name: "timed_out")
        /// Its `apns-expiration` passed while it waited.
        public static let expired = Self(name: "expired")
        /// The connection's queue is full; ``PushError/load`` says how full.
        public static let overloaded = Self(name: "overloaded")
        /// It was dropped from a full queue to make room for a newer push, see ``WhenFull/dropOldest``.
        public static let dropped = Self(name: "dropped")
        /// The caller cancelled it.
        public static let cancelled = Self(name: "cancelled")
        /// No process lives under this pid.
        public static let noProcess = Self(name: "no_process")
        /// No connection has this name.
        public static let unknownName = Self(name: "unknown_name")
        /// The connection was closed before the push went out.
        public static let closed = Self(name: "closed")
        /// The link broke after the push was written.
        public static let connectionLost = Self(name: "connection_lost")
        /// APNs reset the push's stream.
        public static let streamReset = Self(name: "stream_reset")
        /// The answer had no status, or an invalid one.
        public static let badResponse = Self(name: "bad_response")
        /// The notification cannot be sent as it is.
        public static let invalidRequest = Self(name: "invalid_request")
        /// The payload is larger than APNs accepts for its push type, or than
        /// ``PushConnection/Configuration/Limits/maxPayloadBytes``.
        public static let payloadTooLarge = Self(name: "payload_too_large")
        /// APNs did not process it, and its resend policy forbids another attempt.
        public static let unprocessed = Self(name: "unprocessed")
        /// APNs returned it unprocessed too many times.
        public static let tooManyAttempts = Self(name: "too_many_attempts")
        /// APNs refuses the credential, see ``CredentialRefusal``. The push was not sent.
        public static let credentialRefused = Self(name: "credential_refused")
        /// A blocking push was called on a queue of the runtime, which it would block indefinitely.
        public static let wouldDeadlock = Self(name: "would_deadlock")
        /// The connection's process failed while it held the push.
        public static let processFailed = Self(name: "process_failed")

        /// The code's name.
        public var description: String { name }
    }
}
