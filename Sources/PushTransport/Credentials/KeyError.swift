/// What is wrong with a key, a certificate or a bundle of roots that a user gave. Never shows any of its content.
package struct KeyError: Error, Sendable, Hashable, CustomStringConvertible {
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        package let name: String

        package init(_ name: String) { self.name = name }

        package static let empty = Code("empty")
        package static let tooLarge = Code("tooLarge")
        /// Neither PEM nor, where that is taken, DER.
        package static let notPEM = Code("notPEM")
        /// The file ends in the middle of what it holds.
        package static let truncated = Code("truncated")
        /// A PKCS#12 file where PEM or DER is needed.
        package static let isPKCS12 = Code("isPKCS12")
        /// PEM, a certificate or anything else where a PKCS#12 file is needed.
        package static let notPKCS12 = Code("notPKCS12")
        /// PEM, but what is inside cannot be decoded.
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
        /// OpenSSL failed on our own side, or refuses this key (a short RSA key, for one).
        package static let unusable = Code("unusable")

        package var description: String { name }
    }

    package let code: Code
    /// What is wrong and what to do about it, for a person.
    package let sentence: String

    package init(_ code: Code, _ sentence: String) {
        self.code = code
        self.sentence = sentence
    }

    package var description: String { sentence }
}
