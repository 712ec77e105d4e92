/// What can go wrong with a simulator: in setting it up, before it accepts a connection, or in waiting for pushes.
public struct SimulatorError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. Codes may be added; compare with the ones below.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// A short name, suitable for a log.
        public let description: String

        /// OpenSSL could not make or use a key or a certificate.
        public static let cryptography = Code(description: "cryptography")
        /// A key, certificate or identifier is not usable.
        public static let invalidCredential = Code(description: "invalidCredential")
        /// A file or directory could not be read or written.
        public static let file = Code(description: "file")
        /// A setting is out of its range.
        public static let configuration = Code(description: "configuration")
        /// The simulator could not listen.
        public static let listen = Code(description: "listen")
        /// The simulator already runs.
        public static let running = Code(description: "running")
        /// Fewer pushes came than were waited for.
        public static let missingPushes = Code(description: "missingPushes")
        /// The ledger does not keep what was asked for.
        public static let notKept = Code(description: "notKept")
    }

    /// The kind of error.
    public let code: Code
    /// A sentence that says what is wrong and what to do.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
