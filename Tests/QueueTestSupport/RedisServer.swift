import Foundation
import Glibc
import PushLocking
import PushSimulator

/// A real redis-server on a free port, with a folder of its own. It ends with its last reference.
package final class RedisServer: Sendable {
    package struct Options: Sendable {
        /// Keep an append-only file, synchronized before each answer, so that `restart` loses nothing.
        package var appendOnly = false
        /// In bytes; 0 is no limit.
        package var maxMemory = 0
        package var policy = "noeviction"
        /// TLS on the port, instead of plain TCP. Clients trust `authorityPEM`, and have a certificate if this is set.
        package var tls: TLS?
        /// The password of the user `default`.
        package var password: String?
        /// Users besides `default`, as in a configuration: `alice on >secret ~* +@all`.
        package var users: [String] = []
        package var replicaOf: RedisServer?
        /// More words of the configuration, such as `["--repl-ping-replica-period", "1"]`.
        package var more: [String] = []

        package init(
            appendOnly: Bool = false, maxMemory: Int = 0, policy: String = "noeviction", tls: TLS? = nil,
            password: String? = nil, users: [String] = [], replicaOf: RedisServer? = nil, more: [String] = []
        ) {
            (self.appendOnly, self.maxMemory, self.policy, self.tls) = (appendOnly, maxMemory, policy, tls)
            (self.password, self.users, self.replicaOf, self.more) = (password, users, replicaOf, more)
        }
    }

    package enum TLS: Sendable { case serverOnly, withClientCertificates }

    package struct Failed: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    package var port: Int { place.withLock { $0 } }
    /// Its files: the append-only file, the certificates.
    package let folder: URL
    package let options: Options
    /// What clients of a server with TLS trust, and the certificate and key that they may show.
    package let credentials: ThrowAwayCredentials?
    private let process = Locked<ChildProcess?>(nil)
    private let place: Locked<Int>

    package init(_ options: Options = Options()) throws {
        self.options = options
        folder = FileManager.default.temporaryDirectory.appending(path: "redis-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        credentials = options.tls == nil ? nil : try ThrowAwayCredentials()
        place = Locked(try Self.freePort())
        try writeCredentials()
        try startSomewhere()
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// `redis://127.0.0.1:PORT`; a server with TLS is `rediss://localhost:PORT`.
    package var url: String { options.tls == nil ? "redis://127.0.0.1:\(port)" : "rediss://localhost:\(port)" }
    package var authorityFile: String { folder.appending(path: "ca.pem").path }
    /// A certificate for clients, and its key, in one file.
    package var clientFile: String { folder.appending(path: "client.pem").path }

    /// Starts it on the same port and folder, after `kill`. Returns when it answers.
    package func start() throws {
        let started: ChildProcess
        do {
            started = try ChildProcess(
                ["/usr/bin/env", "redis-server"] + arguments, readyWhen: "Ready to accept connections")
        } catch {
            throw Failed(description: "\(error)\nInstall redis-server (apt-get install redis-server).")
        }
        process.withLock { $0 = started }
    }

    /// Starts it on another port if some other program took the one that was free a moment ago.
    private func startSomewhere() throws {
        for _ in 0..<10 {
            do {
                return try start()
            } catch let failure as Failed where failure.description.contains("Address already in use") {
                let other = try Self.freePort()
                place.withLock { $0 = other }
            }
        }
        try start()
    }

    /// Ends it as kill -9 does. Returns when it is gone.
    package func kill() {
        process.withLock { process in
            process?.kill()
            process = nil
        }
    }

    package func restart() throws {
        kill()
        try start()
    }

    /// Stops it without ending it: it does not answer until `resume`. The kernel still takes connections and bytes.
    package func pause() { process.withLock { $0?.signal(SIGSTOP) } }
    package func resume() { process.withLock { $0?.signal(SIGCONT) } }

    private var arguments: [String] {
        var words = [
            "--bind", "127.0.0.1", "--dir", folder.path, "--save", "", "--daemonize", "no", "--maxmemory",
            "\(options.maxMemory)", "--maxmemory-policy", options.policy, "--enable-debug-command", "yes",
            "--repl-diskless-sync-delay", "0",
        ]
        if options.appendOnly { words += ["--appendonly", "yes", "--appendfsync", "always"] }
        if let tls = options.tls {
            words += ["--port", "0", "--tls-port", "\(port)"]
            words += ["--tls-cert-file", folder.appending(path: "server.pem").path]
            words += ["--tls-key-file", folder.appending(path: "server.key").path]
            words += ["--tls-ca-cert-file", authorityFile]
            words += ["--tls-auth-clients", tls == .withClientCertificates ? "yes" : "no"]
        } else {
            words += ["--port", "\(port)"]
        }
        if let password = options.password { words += ["--requirepass", password] }
        for user in options.users { words += ["--user"] + user.split(separator: " ").map(String.init) }
        if let master = options.replicaOf { words += ["--replicaof", "127.0.0.1", "\(master.port)"] }
        return words + options.more
    }

    private func writeCredentials() throws {
        guard let credentials else { return }
        let files = [
            "ca.pem": credentials.authorityPEM, "server.pem": credentials.serverCertificatePEM,
            "server.key": credentials.serverKeyPEM,
            "client.pem": credentials.providerCertificatePEM + credentials.providerKeyPEM,
        ]
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
    }

    /// A port that was free a moment ago, below those that the system gives to clients: a client that calls a killed
    /// server again and again could otherwise get the server's port as its own, and so reach itself. No other call in
    /// this program returned it: it may be that of a server that was killed and will be started again.
    package static func freePort() throws -> Int {
        for _ in 0..<1_000 {
            let port = Int.random(in: 20_000..<32_000)
            if given.withLock({ $0.insert(port).inserted }), isFree(port) { return port }
        }
        throw Failed(description: "There is no free port from 20000 to 31999.")
    }

    private static let given = Locked<Set<Int>>([])

    private static func isFree(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
