import Glibc
import PushCampaign
import PushSimulator
import PushTerminal

/// The folder with a simulator's throw-away credentials: a given one, reused if it contains some, or a temporary one.
struct CredentialFolder: Sendable {
    let path: String
    let credentials: ThrowAwayCredentials
    let files: ThrowAwayCredentials.Files
    /// Whether the server's certificate that it contained was replaced, because that one lacked a name.
    let hasNewCertificate: Bool
    private let temporary: TemporaryFolder?

    /// - Parameter names: What the server's certificate must be valid for.
    init(_ path: String?, _ names: [ServerName]) throws(CommandError) {
        temporary = if path == nil { try TemporaryFolder() } else { nil }
        self.path = path.map { AbsolutePath.of($0) } ?? temporary?.path ?? ""
        do {
            // What clients may have is used or refused, never replaced: keys, the authority, the provider's certificate.
            let isNew = Self.isMissingOrEmpty(self.path)
            let kept = isNew ? try ThrowAwayCredentials() : try ThrowAwayCredentials(directory: self.path)
            credentials = try kept.serving(names)
            hasNewCertificate = !isNew && credentials.serverCertificatePEM != kept.serverCertificatePEM
            files = try credentials.write(to: self.path)
        } catch {
            temporary?.remove(with: [])
            throw CommandError(error)
        }
    }

    /// Removes what was written, and the folder if it is then empty.
    func removeIfTemporary() { temporary?.remove(with: files.paths) }

    private static func isMissingOrEmpty(_ path: String) -> Bool {
        guard let folder = opendir(path) else { return errno == ENOENT }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            // "." and "..": names of at most two bytes that begin with a period.
            if entry.pointee.d_name.0 != 0x2E { return false }
        }
        return true
    }
}

extension ThrowAwayCredentials.Files {
    var paths: [String] {
        [authority, authorityKey, serverCertificate, serverKey, signingKey, providerCertificate, providerKey]
    }
}

extension CommandError {
    /// Errors in the setup of a simulator: files and settings, or a port that is taken.
    init(_ error: SimulatorError) {
        self = error.code == .listen ? CommandError(.unavailable, error.description) : .configuration(error.description)
    }
}
