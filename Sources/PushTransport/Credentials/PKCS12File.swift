import CPushOpenSSL

/// A PKCS#12 file (RFC 7292): certificates and a key behind one password, as Keychain Access exports them.
///
/// Old files are encrypted with RC2 and 3DES; see ``LegacyLibrary``.
struct PKCS12File {
    private static let remedy = "openssl pkcs12 -legacy -in OLD -nodes | openssl pkcs12 -export -out NEW"
    private static let missing = "Export the certificate together with its private key."

    private let bytes: [UInt8]
    /// Null-terminated for C; nil if no password was given.
    private let password: [CChar]?

    init(_ bytes: [UInt8], password: [UInt8]?) throws(KeyError) {
        guard !bytes.isEmpty else {
            throw KeyError(.empty, "The PKCS#12 file is empty. Export the certificate and its key again.")
        }
        guard bytes.count <= PEMBundle.sizeLimit else {
            throw KeyError(.tooLarge, "The PKCS#12 file is larger than 4 MiB. Give the right file.")
        }
        guard bytes.first == DERReader.Tag.sequence else {
            throw KeyError(
                .notPKCS12, "The file is not PKCS#12. If it is PEM (-----BEGIN …), use it as the certificate instead.")
        }
        // Some programs write lengths that are known only at the end. OpenSSL checks those.
        if bytes.count < 2 || bytes[1] != 0x80 { _ = try DERForm.content(bytes, what: "PKCS#12") }
        if password?.contains(0) == true { throw Self.wrongPassword }
        self.bytes = bytes
        self.password = password.map { $0.map(CChar.init(bitPattern:)) + [0] }
    }

    func identity() throws(KeyError) -> Identity {
        defer { ERR_clear_error() }
        ERR_clear_error()
        // `contents` verifies the password before it decrypts.
        if let contents = try contents(nil) { return try contents.identity() }
        guard OpenSSLErrors.takeMissingAlgorithm() else { throw Self.unreadable }
        let contents = try LegacyLibrary.use("The PKCS#12 file", remedy: Self.remedy) { (library) throws(KeyError) in
            try self.contents(library)
        }
        guard let contents else { throw Self.unreadable }
        return try contents.identity()
    }

    /// The content of the file, independent of the library context that decrypted it.
    private struct Contents {
        var certificates: [Certificate] = []
        var key: PrivateKey?

        func identity() throws(KeyError) -> Identity {
            guard let key else {
                let what = certificates.isEmpty ? "neither certificate nor private key" : "no private key"
                throw KeyError(.noKey, "The PKCS#12 file holds \(what). \(PKCS12File.missing)")
            }
            guard !certificates.isEmpty else {
                throw KeyError(.noCertificate, "The PKCS#12 file holds no certificate. \(PKCS12File.missing)")
            }
            return try Identity(certificates, key: key)
        }
    }

    /// Nil if the file cannot be decrypted or decoded; the reason is in the error queue.
    private func contents(_ library: OpaquePointer?) throws(KeyError) -> Contents? {
        var file = PKCS12_init_ex(NID_pkcs7_data, library, nil)
        defer { PKCS12_free(file) }
        guard file != nil, withBIO(bytes, { d2i_PKCS12_bio($0, &file) }) != nil else {
            throw KeyError(.notPKCS12, "The file is damaged, or is not a PKCS#12 file. Export it again.")
        }
        try checkPassword(file)
        var key: OpaquePointer?
        var certificate: OpaquePointer?
        var others: OpaquePointer?
        guard PKCS12_parse(file, password, &key, &certificate, &others) == 1 else { return nil }
        defer {
            EVP_PKEY_free(key)
            X509_free(certificate)
            cpush_free_certificates(others)
        }
        var contents = Contents(key: key.flatMap { PrivateKey.copy(of: $0) })
        if let certificate { contents.certificates += [Certificate(copying: certificate)].compactMap(\.self) }
        for index in 0..<max(0, cpush_certificate_count(others)) {
            guard let other = cpush_certificate_at(others, index) else { continue }
            contents.certificates += [Certificate(copying: other)].compactMap(\.self)
        }
        return contents
    }

    /// Checks the password against the file's MAC. No common program exports files without one, and OpenSSL opens none.
    private func checkPassword(_ file: OpaquePointer?) throws(KeyError) {
        guard PKCS12_mac_present(file) == 1 else {
            throw KeyError(
                .unusable,
                "The PKCS#12 file has no MAC, so its password cannot be checked. Export it again with a MAC.")
        }
        let isRight: Bool
        if let password, password.count > 1 {
            isRight = PKCS12_verify_mac(file, password, -1) == 1
        } else {
            // Programs write an empty password in two ways.
            isRight = PKCS12_verify_mac(file, nil, 0) == 1 || PKCS12_verify_mac(file, "", 0) == 1
        }
        guard !isRight else { return }
        if ERR_peek_error() != 0 {
            throw KeyError(
                .unusable,
                "OpenSSL cannot check the PKCS#12 file's password. Export it again with SHA-256 for its MAC.")
        }
        guard password != nil else {
            throw KeyError(.encrypted, "The PKCS#12 file is encrypted. Give its password.")
        }
        throw Self.wrongPassword
    }

    private static var wrongPassword: KeyError {
        KeyError(.wrongPassword, "The PKCS#12 file cannot be opened with this password. Check the password.")
    }

    private static var unreadable: KeyError {
        KeyError(.damaged, "The PKCS#12 file can be opened, but not decrypted: it is damaged. Export it again.")
    }
}

extension Identity {
    /// Reads a PKCS#12 file.
    ///
    /// - Parameter password: The file's password; nil or empty for a file without one.
    package init(pkcs12: [UInt8], password: [UInt8]?) throws(KeyError) {
        OpenSSLSetup.once()
        self = try PKCS12File(pkcs12, password: password).identity()
    }
}
