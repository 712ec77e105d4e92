import Foundation
import PushLocking

/// A real Sentinel on a free port, which watches a primary by the name `main` and promotes a replica by itself. It ends
/// with its last reference.
///
/// It is patient until a test kills the primary with ``kill(_:)``: one that gets no processor time for a while stays the primary.
package final class RedisSentinel: Sendable {
    package let port: Int
    private let folder: URL
    private let usesTLS: Bool
    private let process: ChildProcess

    /// Starts it. Replicas that the primary has by now are known to it soon; of later ones it hears after 10 s.
    ///
    /// - Parameters:
    ///   - primary: Whom it watches. It uses TLS, with the same certificate, if the primary does.
    ///   - more: More lines of its configuration.
    package init(watching primary: RedisServer, more: [String] = []) throws {
        port = try RedisServer.freePort()
        folder = FileManager.default.temporaryDirectory.appending(path: "sentinel-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        usesTLS = primary.options.tls != nil
        var lines = ["bind 127.0.0.1", "dir \(folder.path)"]
        if usesTLS {
            let files = primary.folder
            lines += ["port 0", "tls-port \(port)", "tls-replication yes", "tls-ca-cert-file \(primary.authorityFile)"]
            lines += ["tls-cert-file \(files.path)/server.pem", "tls-key-file \(files.path)/server.key"]
            lines += ["tls-auth-clients \(primary.options.tls == .withClientCertificates ? "yes" : "no")"]
            // A certificate names a host, and no address.
            lines += ["sentinel resolve-hostnames yes", "sentinel announce-hostnames yes"]
        } else {
            lines += ["port \(port)"]
        }
        lines += ["sentinel monitor main \(usesTLS ? "localhost" : "127.0.0.1") \(primary.port) 1"]
        lines += ["sentinel down-after-milliseconds main 30000", "sentinel failover-timeout main 2000"]
        // It writes what it learns into its configuration.
        let file = folder.appending(path: "sentinel.conf")
        try Data((lines + more).joined(separator: "\n").appending("\n").utf8).write(to: file)
        do {
            process = try ChildProcess(
                ["/usr/bin/env", "redis-sentinel", file.path], readyWhen: "+monitor master main")
        } catch {
            throw RedisServer.Failed(
                description: "\(error)\nInstall redis-sentinel (apt-get install redis-sentinel).")
        }
    }

    deinit {
        process.kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// `HOST:PORT`.
    package var place: String { "\(usesTLS ? "localhost" : "127.0.0.1"):\(port)" }
    package var url: String { "\(usesTLS ? "rediss" : "redis")+sentinel://\(place)/main" }

    /// Whether it has found a replica, so that a failover can take place. For one without TLS.
    package func knowsReplica() throws -> Bool {
        try RedisProgram.ask(port, "SENTINEL", "REPLICAS", "main").contains("master-link-status\nok")
    }

    /// Kills its primary, as kill -9 does, and ends its patience, so that it finds that out soon. For one without TLS.
    ///
    /// The primary stands still first: then it makes no difference how late it is killed. A replica that lost it long before the
    /// Sentinel notices would not be promoted.
    package func kill(_ primary: RedisServer) throws {
        primary.pause()
        let answer = try RedisProgram.ask(port, "SENTINEL", "SET", "main", "down-after-milliseconds", "300")
        primary.kill()
        guard answer.hasPrefix("OK") else { throw RedisServer.Failed(description: answer) }
    }
}

/// `redis-cli`, for what no connection of the queue's client asks.
package enum RedisProgram {
    /// What it prints.
    package static func ask(_ port: Int, _ words: String...) throws -> String { try run(["-p", "\(port)"] + words) }

    /// What it prints for these arguments.
    package static func run(_ arguments: [String]) throws -> String {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["redis-cli"] + arguments
        process.standardOutput = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
