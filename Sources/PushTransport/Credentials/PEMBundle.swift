import CPushOpenSSL
import Glibc

/// The blocks of a PEM text, decoded by OpenSSL. It never prompts for a password.
struct PEMBundle {
    /// No valid file is larger: a bundle of all public roots has about 220 KB.
    static let sizeLimit = 4 << 20

    private enum Kind {
        case certificate, privateKey, encryptedKey, publicKey, other
        /// Encrypted by RFC 1421's header, in the traditional form of a key.
        case headerEncryptedKey
    }

    private let bytes: [UInt8]
    private let remedy: String
    private var kinds: [Kind] = []
    private(set) var certificates: [Certificate] = []

    /// Reads all blocks. Fails if any of them is unreadable, because a damaged file must not count as a smaller one.
    ///
    /// - Parameters:
    ///   - what: How an error names the file: "key", "certificate".
    ///   - remedy: What to do about a damaged file.
    init(_ bytes: [UInt8], what: String, remedy: String = "Export it again.") throws(KeyError) {
        self.bytes = bytes
        self.remedy = remedy
        guard bytes.contains(where: { !" \t\r\n".utf8.contains($0) }) else {
            throw KeyError(.empty, "The \(what) file is empty. Give a file in PEM form.")
        }
        guard bytes.count <= Self.sizeLimit else {
            throw KeyError(.tooLarge, "The \(what) file is larger than 4 MiB. Give a file in PEM form.")
        }
        var damaged = false
        withBIO(bytes) { bio in
            while let block = Self.nextBlock(bio) {
                kinds.append(block.kind)
                guard block.kind == .certificate else { continue }
                if let certificate = Certificate(der: block.der) {
                    certificates.append(certificate)
                } else {
                    damaged = true
                }
            }
        }
        let problem = OpenSSLErrors.takeLast()
        if damaged {
            throw KeyError(.damaged, "The \(what) file holds a certificate that cannot be read. \(remedy)")
        }
        // "No start line" means that the text ended properly. Any other error hides the rest of the file.
        guard ERR_GET_REASON(problem) == PEM_R_NO_START_LINE else {
            throw KeyError(.damaged, "The \(what) file holds a block that is cut off or damaged. \(remedy)")
        }
        guard kinds.isEmpty else { return }
        throw KeyError(
            .notPEM, "The \(what) file is not PEM text (-----BEGIN …). Convert it with openssl, or give the right file."
        )
    }

    /// Reads PEM or DER, detected by content. A DER file contains one certificate or one key.
    init(pemOrDER bytes: [UInt8], what: String, remedy: String = "Export it again.") throws(KeyError) {
        var text = bytes
        if bytes.count <= Self.sizeLimit, let label = try DERForm.label(bytes, what: what) {
            text = Self.text(label, der: bytes)
        }
        try self.init(text, what: what, remedy: remedy)
    }

    /// Converts DER to PEM.
    private static func text(_ label: String, der: [UInt8]) -> [UInt8] {
        guard let bio = BIO_new(BIO_s_mem()) else { return [] }
        defer { BIO_free(bio) }
        PEM_write_bio(bio, label, "", der, der.count)
        var text = [UInt8](repeating: 0, count: Int(BIO_ctrl_pending(bio)))
        let count = BIO_read(bio, &text, Int32(clamping: text.count))
        return Array(text.prefix(Int(max(0, count))))
    }

    var holdsCertificate: Bool { kinds.contains(.certificate) }
    var holdsKey: Bool { kinds.contains(.privateKey) || holdsEncryptedKey }
    var holdsPublicKey: Bool { kinds.contains(.publicKey) }
    var holdsEncryptedKey: Bool { kinds.contains(.encryptedKey) || kinds.contains(.headerEncryptedKey) }

    /// The first private key.
    func privateKey(password: [UInt8]?) throws(KeyError) -> PrivateKey {
        guard holdsKey else {
            if holdsCertificate {
                throw KeyError(.certificateInsteadOfKey, "The file holds a certificate where a private key is needed.")
            }
            if holdsPublicKey {
                throw KeyError(.publicKey, "The file holds a public key where the private key is needed.")
            }
            throw KeyError(.noKey, "The file holds no private key (-----BEGIN PRIVATE KEY-----).")
        }
        var answer = PasswordAnswer(password: password ?? [])
        if let key = read(nil, answer: &answer) { return PrivateKey(key) }
        let isOld = OpenSSLErrors.takeMissingAlgorithm()
        guard holdsEncryptedKey || answer.wasAsked else {
            throw KeyError(.damaged, "The private key cannot be read: it is cut off or damaged. \(remedy)")
        }
        if password == nil {
            throw KeyError(
                .encrypted, "The private key is encrypted. Give its password, or decrypt it with openssl pkey.")
        }
        if isOld, let key = try oldKey(&answer) { return key }
        throw KeyError(.wrongPassword, "The private key cannot be decrypted with this password. Check the password.")
    }

    /// Reads a key whose encryption only OpenSSL's legacy provider supports.
    private func oldKey(_ answer: inout PasswordAnswer) throws(KeyError) -> PrivateKey? {
        guard !kinds.contains(.headerEncryptedKey) else {
            // OpenSSL reads these in its default library context only.
            throw KeyError(
                .unusable,
                "The private key uses an encryption that OpenSSL no longer supports. Encrypt it again with openssl "
                    + "pkcs8 -topk8, with the legacy provider.")
        }
        let remedy = "openssl pkcs8 -in OLD -provider legacy -provider default | openssl pkcs8 -topk8 -out NEW"
        return try LegacyLibrary.use("The private key", remedy: remedy) { (library) throws(KeyError) in
            guard let key = read(library, answer: &answer) else { return nil }
            defer { EVP_PKEY_free(key) }
            return PrivateKey.copy(of: key)
        }
    }

    private func read(_ library: OpaquePointer?, answer: inout PasswordAnswer) -> OpaquePointer? {
        withBIO(bytes) { bio in
            withUnsafeMutablePointer(to: &answer) {
                PEM_read_bio_PrivateKey_ex(bio, nil, answerPassword, $0, library, nil)
            }
        }
    }

    private static func nextBlock(_ bio: OpaquePointer?) -> (kind: Kind, der: [UInt8])? {
        var name: UnsafeMutablePointer<CChar>?
        var header: UnsafeMutablePointer<CChar>?
        var data: UnsafeMutablePointer<UInt8>?
        var length = 0
        guard PEM_read_bio(bio, &name, &header, &data, &length) == 1, let name, let header, let data else { return nil }
        defer {
            cpush_free(name)
            cpush_free(header)
            OPENSSL_cleanse(data, length)
            cpush_free(data)
        }
        let kind: Kind
        switch String(cString: name) {
        case "CERTIFICATE", "X509 CERTIFICATE": kind = .certificate
        case "ENCRYPTED PRIVATE KEY": kind = .encryptedKey
        case let label where label.hasSuffix("PRIVATE KEY"):
            // RFC 1421 headers: "Proc-Type: 4,ENCRYPTED".
            kind = strstr(header, "ENCRYPTED") == nil ? .privateKey : .headerEncryptedKey
        case let label where label.hasSuffix("PUBLIC KEY"): kind = .publicKey
        default: kind = .other
        }
        let der = kind == .certificate ? Array(UnsafeBufferPointer(start: data, count: length)) : []
        return (kind, der)
    }
}

func withBIO<Result>(_ bytes: [UInt8], _ body: (OpaquePointer?) -> Result) -> Result {
    OpenSSLSetup.once()
    return bytes.withUnsafeBytes { buffer in
        let bio = BIO_new_mem_buf(buffer.baseAddress, Int32(clamping: buffer.count))
        defer { BIO_free(bio) }
        return body(bio)
    }
}

private struct PasswordAnswer {
    var password: [UInt8]
    var wasAsked = false
}

/// Replaces OpenSSL's own callback, which would prompt on the terminal.
private func answerPassword(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ isWriting: Int32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let buffer, let answer = context?.assumingMemoryBound(to: PasswordAnswer.self) else { return 0 }
    answer.pointee.wasAsked = true
    let password = answer.pointee.password
    guard password.count <= Int(size) else { return 0 }
    for (index, byte) in password.enumerated() { buffer[index] = CChar(bitPattern: byte) }
    return Int32(password.count)
}
