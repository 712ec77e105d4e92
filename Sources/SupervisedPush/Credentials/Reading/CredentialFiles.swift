import Glibc
import Logging
import PushTransport

extension ByteSource {
    /// Keys, certificates and bundles are small; a file larger than this is something else.
    private static let limit = 4 << 20

    /// Reads the bytes; `what` names them in the error's sentence, for example "signing key".
    ///
    /// - Parameter again: Whether it was read before. Then it must be a regular file: a pipe has been read empty, and
    ///   opening one blocks until there is a writer.
    func read(_ what: String, again: Bool = false) throws(ConnectError) -> [UInt8] {
        switch origin {
        case .memory(let bytes): return bytes
        case .file(let path): return try Self.readFile(path, what: what, again: again)
        case .loader(let loader):
            throw ConnectError(
                .configuration,
                "The \(what) can't be loaded from \(loader.name) here: give a file, or the bytes themselves.")
        }
    }

    /// Where the bytes come from, for errors: ` in AuthKey_ABC123DEFG.p8`; empty for memory.
    var place: String { path.map { " in \($0)" } ?? loader.map { " from \($0.name)" } ?? "" }

    /// True if each user of the machine may read or change the file. A group may: a service has one. Pipes (process
    /// substitution) are exempt.
    package var isOpenToAll: Bool {
        guard let path else { return false }
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_mode & 0o007 != 0
    }

    private static func readFile(_ path: String, what: String, again: Bool) throws(ConnectError) -> [UInt8] {
        func refusal(_ reason: String) -> ConnectError {
            ConnectError(.credential, "The \(what) in \(path) can't be read: \(reason).")
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | (again ? O_NONBLOCK : 0))
        guard descriptor >= 0 else { throw refusal(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            throw refusal("it is a directory: name the file in it")
        }
        guard !again || status.st_mode & S_IFMT == S_IFREG else {
            throw refusal("it is not a regular file, and only regular files are read again")
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { return bytes }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw refusal(String(cString: strerror(errno))) }
            bytes += chunk[..<count]
            guard bytes.count <= limit else { throw refusal("it is larger than \(limit >> 20) MiB") }
        }
    }
}

extension Credential {
    /// Warns of what is no error, but is probably a mistake.
    func warn(_ logger: Logger?) {
        if let contradiction {
            logger?.warning("the ids of a signing key contradict each other", metadata: ["problem": "\(contradiction)"])
        }
        warnOfOpenFiles(logger)
    }

    /// A secret that other users may read causes a warning, not a refusal: containers often mount them so.
    private func warnOfOpenFiles(_ logger: Logger?) {
        for source in secrets where source.isOpenToAll {
            logger?.warning(
                "every user of this machine may use a key file: chmod o= it", metadata: ["file": "\(source.path ?? "")"]
            )
        }
    }

    /// All its sources.
    var sources: [ByteSource] {
        switch kind {
        case .token(let key, _, _, _): [key]
        case .tokens: []
        case .certificate(let certificate, let privateKey, _): [certificate, privateKey].compactMap(\.self)
        case .pkcs12(let file, _): [file]
        }
    }

    private var secrets: [ByteSource] {
        switch kind {
        case .token(let key, _, _, _): [key]
        case .tokens: []
        case .certificate(let certificate, let privateKey, _): [privateKey ?? certificate]
        case .pkcs12(let file, _): [file]
        }
    }
}

/// The parts of a certificate credential, read and not parsed yet.
struct IdentityFiles {
    private enum Form {
        /// The key is nil if the certificate's file contains it.
        case separate(key: [UInt8]?)
        case pkcs12
    }

    private let certificate: [UInt8]
    /// Where it comes from, for errors.
    let place: String
    private let form: Form
    private let password: [UInt8]?

    /// Reads the files; nil for a credential without a certificate.
    init?(_ credential: Credential, again: Bool) throws(ConnectError) {
        let password: String?
        switch credential.kind {
        case .token, .tokens: return nil
        case .certificate(let file, let privateKey, let secret):
            certificate = try file.read("certificate", again: again)
            place = file.place + (privateKey?.path.map { " with the key in \($0)" } ?? "")
            form = .separate(key: try privateKey?.read("private key", again: again))
            password = secret
        case .pkcs12(let file, let secret):
            certificate = try file.read("PKCS#12 file", again: again)
            place = file.place
            form = .pkcs12
            password = secret
        }
        self.password = password.map { Array($0.utf8) }
    }

    /// The bytes that identify it.
    var parts: [[UInt8]?] {
        switch form {
        case .separate(let key): [[0], certificate, key, password]
        case .pkcs12: [[1], certificate, password]
        }
    }

    func identity() throws(KeyError) -> Identity {
        switch form {
        case .separate(let key): try Identity(certificate: certificate, key: key, password: password)
        case .pkcs12: try Identity(pkcs12: certificate, password: password)
        }
    }
}

/// The trust bundles of a connection, read and not parsed yet.
struct TrustFiles {
    private let roots: [UInt8]?
    private let additional: [[UInt8]]
    private let pins: PinPolicy?

    init(_ trust: TrustRoots, again: Bool = false) throws(ConnectError) {
        roots = try trust.bundle?.read("trust bundle", again: again)
        var additional: [[UInt8]] = []
        for source in trust.additional { additional.append(try source.read("additional trust bundle", again: again)) }
        self.additional = additional
        pins = trust.pinning.map { PinPolicy(pins: Set($0.pins.map(\.pin)), reportsOnly: $0.isReportOnly) }
    }

    /// The bytes that identify it.
    var parts: [[UInt8]?] {
        let pinned = pins.map { $0.pins.map(\.sha256).sorted { $0.lexicographicallyPrecedes($1) }.flatMap(\.self) }
        let counts = [UInt8(clamping: additional.count), pins?.reportsOnly == true ? 1 : 0]
        return [counts, roots, pinned] + additional
    }

    func context(_ identity: Identity?) throws(KeyError) -> TLSContext {
        try TLSContext.client(
            trust: roots.map { .pem($0) } ?? .system, additional: additional, pins: pins, identity: identity)
    }
}
