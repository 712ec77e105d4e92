import ArgumentParser
import Glibc

/// The files of the credential that the flags name. Nothing has been read yet.
enum CredentialFiles: Equatable, Sendable {
    case token(key: String, keyID: String, teamID: String)
    /// If there is no separate key file, the certificate's file contains the key.
    case certificate(String, privateKey: String?)

    /// Certificate and key in one file.
    case pkcs12(String)

    /// - Throws: `ValidationError` if flags are missing or exclude each other.
    init(_ options: ConnectionOptions) throws(ValidationError) {
        let given = [("--key", options.key), ("--certificate", options.certificate), ("--p12", options.p12)]
            .filter { $0.1 != nil }.map(\.0)
        guard given.count < 2 else {
            throw ValidationError("\(given.joined(separator: " and ")) exclude each other; give one credential.")
        }
        if let key = options.key {
            self = try Self.token(key, options)
        } else if let certificate = options.certificate {
            try Self.refuseTokenFlags(options, "--certificate")
            self = .certificate(certificate, privateKey: options.privateKey)
        } else if let file = options.p12 {
            try Self.refuseTokenFlags(options, "--p12")
            guard options.privateKey == nil else {
                throw ValidationError("--private-key goes with --certificate; a PKCS#12 file contains its key.")
            }
            self = .pkcs12(file)
        } else {
            throw ValidationError(
                "No credential: give --key FILE and --team-id ID (provider token), --certificate FILE or --p12 FILE.")
        }
    }

    private static func refuseTokenFlags(_ options: ConnectionOptions, _ flag: String) throws(ValidationError) {
        guard options.keyID == nil, options.teamID == nil else {
            throw ValidationError("--key-id and --team-id go with --key, not with \(flag).")
        }
    }

    private static func token(_ key: String, _ options: ConnectionOptions) throws(ValidationError) -> Self {
        guard options.privateKey == nil else {
            throw ValidationError("--private-key goes with --certificate; a provider token needs --key only.")
        }
        guard options.passwordFile == nil else {
            throw ValidationError("--password-file goes with --p12 or --private-key; a signing key has no password.")
        }
        guard let teamID = options.teamID, !teamID.isEmpty else {
            throw ValidationError("--key needs --team-id, the ten characters of your team in the developer account.")
        }
        guard let keyID = options.keyID ?? Self.keyID(fromFileName: key), !keyID.isEmpty else {
            throw noKeyID(of: key)
        }
        return .token(key: key, keyID: keyID, teamID: teamID)
    }

    /// The error of a key without an id. A file that is missing comes first: its name is what to look at.
    static func noKeyID(of key: String) -> ValidationError {
        guard access(key, F_OK) == 0 else { return ValidationError("--key: there is no file \(key).") }
        return ValidationError("--key needs --key-id, because the file is not named AuthKey_<id>.p8.")
    }

    /// `ABC123DEFG` of `…/AuthKey_ABC123DEFG.p8`.
    static func keyID(fromFileName path: String) -> String? {
        let name = path.split(separator: "/").last ?? ""
        guard name.hasPrefix("AuthKey_"), name.hasSuffix(".p8") else { return nil }
        let id = name.dropFirst("AuthKey_".count).dropLast(".p8".count)
        return id.isEmpty ? nil : String(id)
    }
}
