extension ThrowAwayCredentials {
    /// The paths to which ``write(to:)`` wrote the files. They begin with the directory it was given.
    public struct Files: Sendable, Hashable {
        /// `ca.pem`: the authority's certificate, which clients trust.
        public let authority: String
        /// `ca-key.pem`, readable by its owner only.
        public let authorityKey: String
        /// `server.pem`.
        public let serverCertificate: String
        /// `server-key.pem`, readable by its owner only.
        public let serverKey: String
        /// `AuthKey_<key id>.p8`, readable by its owner only.
        public let signingKey: String
        /// `provider.pem`.
        public let providerCertificate: String
        /// `provider-key.pem`, readable by its owner only.
        public let providerKey: String
        let keyID: String

        init(directory: String, keyID: String) {
            authority = directory + "/ca.pem"
            authorityKey = directory + "/ca-key.pem"
            serverCertificate = directory + "/server.pem"
            serverKey = directory + "/server-key.pem"
            signingKey = directory + "/AuthKey_\(keyID).p8"
            providerCertificate = directory + "/provider.pem"
            providerKey = directory + "/provider-key.pem"
            self.keyID = keyID
        }

        /// The files in a directory. The key id is part of the signing key's name.
        init(in directory: String) throws(SimulatorError) {
            let keys = try FileAccess.names(in: directory).filter { $0.hasPrefix("AuthKey_") && $0.hasSuffix(".p8") }
            guard keys.count == 1, let name = keys.first else {
                throw SimulatorError(
                    .file, "\(directory) must contain exactly one AuthKey_<key id>.p8, not \(keys.count).")
            }
            self.init(directory: directory, keyID: String(name.dropFirst(8).dropLast(3)))
        }
    }

    /// Writes the credentials to files in a directory, which is created (mode 0700) if it does not exist.
    ///
    /// Only their owner can read private keys (mode 0600). Files with the same names are replaced, each in one step.
    ///
    /// - Returns: The paths.
    /// - Throws: `file` if something cannot be written.
    @discardableResult
    public func write(to directory: String) throws(SimulatorError) -> Files {
        try FileAccess.makeDirectory(directory)
        let files = Files(directory: directory, keyID: keyID)
        try FileAccess.write(authorityPEM, to: files.authority, mode: 0o644)
        if let authorityKeyPEM { try FileAccess.write(authorityKeyPEM, to: files.authorityKey, mode: 0o600) }
        try FileAccess.write(serverCertificatePEM, to: files.serverCertificate, mode: 0o644)
        try FileAccess.write(serverKeyPEM, to: files.serverKey, mode: 0o600)
        try FileAccess.write(signingKeyPEM, to: files.signingKey, mode: 0o600)
        try FileAccess.write(providerCertificatePEM, to: files.providerCertificate, mode: 0o644)
        try FileAccess.write(providerKeyPEM, to: files.providerKey, mode: 0o600)
        return files
    }
}
