/// What is wrong with a key, a certificate or a file of root certificates from the user. Never contains any of its
/// content.
package struct KeyError: Error, Sendable, Hashable, CustomStringConvertible {
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        package let name: String

        package init(_ name: String) { self.name = name }

        package static let empty = Code("empty")
        package static let tooLarge = Code("tooLarge")
        /// Neither PEM nor, where accepted, DER.
        package static let notPEM = Code("notPEM")
        /// The file ends in the middle of its content.
        package static let truncated = Code("truncated")
        /// A PKCS#12 file where PEM or DER is required.
        package static let isPKCS12 = Code("isPKCS12")
        /// PEM, a certificate or something else where a PKCS#12 file is required.
        package static let notPKCS12 = Code("notPKCS12")
        /// PEM, but its content cannot be decoded.
        package static let damaged = Code("damaged")
        package static let certificateInsteadOfKey = Code("certificateInsteadOfKey")
        package static let keyInsteadOfCertificate = Code("keyInsteadOfCertificate")
        package static let publicKey = Code("publicKey")
        package static let noKey = Code("noKey")
        package static let noCertificate = Code("noCertificate")
        package static let encrypted = Code("encrypted")
        package static let wrongPassword = Code("wrongPassword")
        /// Encrypted with RC2 or DES, and OpenSSL's legacy provider is not installed.
        package static let legacyProviderMissing = Code("legacyProviderMissing")
        package static let notEC = Code("notEC")
        package static let wrongCurve = Code("wrongCurve")
        package static let mismatch = Code("mismatch")
        /// OpenSSL failed on our side, or refuses this key (for example a short RSA key).
        package static let unusable = Code("unusable")

        package var description: String { name }
    }

    package let code: Code
    /// A sentence that says what is wrong and what to do.
    package let sentence: String

    package init(_ code: Code, _ sentence: String) {
        self.code = code
        self.sentence = sentence
    }

    package var description: String { sentence }
}
