/// An error in the setup of a simulator, before it accepts a connection, or while waiting for pushes.
public struct SimulatorError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. Later versions may add codes, so compare with the ones below.
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
        /// The simulator is already running.
        public static let running = Code(description: "running")
        /// Fewer pushes arrived than expected.
        public static let missingPushes = Code(description: "missingPushes")
        /// The ledger does not keep the requested data.
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
