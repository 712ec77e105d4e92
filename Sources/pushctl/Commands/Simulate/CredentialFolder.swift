import Glibc
import PushSimulator

/// The folder with a simulator's throw-away credentials: a given one, reused if it contains some, or a temporary one.
struct CredentialFolder: Sendable {
    let path: String
    let credentials: ThrowAwayCredentials
    let files: ThrowAwayCredentials.Files
    private let isTemporary: Bool

    init(_ path: String?) throws(CommandError) {
        isTemporary = path == nil
        self.path = if let path { path } else { try Self.makeTemporary() }
        do {
            // Existing credentials are used or refused, never replaced: clients may have them.
            credentials =
                Self.isMissingOrEmpty(self.path)
                ? try ThrowAwayCredentials() : try ThrowAwayCredentials(directory: self.path)
            files = try credentials.write(to: self.path)
        } catch {
            throw CommandError(error)
        }
    }

    /// Removes what was written, and the folder if it is then empty.
    func removeIfTemporary() {
        guard isTemporary else { return }
        for file in files.paths { unlink(file) }
        rmdir(path)
    }

    private static func makeTemporary() throws(CommandError) -> String {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/pushctl-simulate.XXXXXX".utf8CString)
        guard template.withUnsafeMutableBufferPointer({ $0.baseAddress.flatMap { mkdtemp($0) } }) != nil else {
            throw .configuration("cannot make a temporary folder in \(base): \(SystemError.text(errno))")
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

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
