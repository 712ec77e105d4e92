import Foundation
import QueueTestSupport
import Testing

extension ProgramTests {
    /// `pushctl` with a server that asks for TLS, gives its user few rights, or is a replica.
    @Suite(.timeLimit(.minutes(3))) struct RedisRightsProgramTests {
        private static let password = ["PUSHCTL_QUEUE_PASSWORD=sesame"]

        /// The rights of a worker, as the documentation gives them.
        private static func documentedRights() throws -> String {
            let root = URL(filePath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
            let text = try String(contentsOfFile: root + "/docs/queue.md", encoding: .utf8)
            let parts = text.components(separatedBy: #"ACL SETUSER worker on ">$PASSWORD" "#)
            let part = try #require(parts.dropFirst().first)
            let rights = try #require(part.components(separatedBy: "```").first)
            // Quotes and line ends are the shell's.
            return rights.filter { !"'\\".contains($0) }.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }

        private static func user(_ rights: String) -> String { "worker on >sesame \(rights)" }

        private static func layer(_ name: String, _ end: Program.End) -> String {
            end.output.first { $0.contains(#""layer":"\#(name)","#) } ?? ""
        }

        @Test func aServerThatWantsACertificateGetsOne() async throws {
            let server = try RedisServer(
                .init(appendOnly: true, maxMemory: 1 << 30, tls: .withClientCertificates))
            let place = ["--queue", server.url, "--queue-trust-roots", server.authorityFile]
            let without = try await Stage.run(["doctor", "--json"] + place)
            #expect(without.status == 78, "\(without.output)")
            #expect(without.output.first?.contains("wants a client's certificate") == true, "\(without.output)")
            #expect(without.output.first?.contains("--queue-certificate and --queue-key") == true)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: server.clientFile)
            let with = try await Stage.run(["doctor"] + place + ["--queue-certificate", server.clientFile])
            #expect(with.status == 0, "\(with.output)")
            #expect(with.errors.contains { $0.contains("may use a key file") }, "\(with.errors)")
        }

        @Test func aUserWithTheDocumentedRightsWorksAQueueOverTLS() async throws {
            let stage = try await Stage(log: true)
            let server = try RedisServer(
                .init(appendOnly: true, tls: .serverOnly, users: [Self.user(Self.documentedRights())]))
            let queue = [
                "--queue", "rediss://worker@localhost:\(server.port)", "--queue-trust-roots", server.authorityFile,
            ]
            let input = try stage.file("input.csv", Stage.tokens(0..<300))
            let worker = try Program(
                ["worker", "--json", "--create", "--rate", "10000"] + queue + stage.connection,
                variables: Self.password)
            let put = try await Stage.run(
                [
                    "queue", "put", input, "--title", "Hello", "--wait", "--outcomes", stage.folder + "/out.csv",
                    "--json", "--campaign", "spring",
                ]
                    + queue, Self.password)
            #expect(put.status == 0 && put.output.first?.contains(#""delivered":300"#) == true, "\(put.errors)")
            worker.signal(SIGTERM)
            #expect(await worker.end().status == 143)
            let commands = [
                ["status"], ["outcomes"], ["feedback"], ["dead"], ["cancel", "\(UUID())"], ["campaigns"], ["pause"],
                ["resume"],
                ["rate", "off"], ["pause", "--campaign", "spring"], ["resume", "--campaign", "spring"],
                ["cancel", "--campaign", "spring"],
            ]
            for command in commands {
                let end = try await Stage.run(["queue"] + command + queue, Self.password)
                #expect(end.status == 0 || command.count == 2 && command[0] == "cancel", "\(command) \(end.errors)")
                #expect(!end.errors.contains { $0.contains("NOPERM") }, "\(command) \(end.errors)")
            }
            let doctor = try await Stage.run(["doctor", "--json"] + queue, Self.password)
            #expect(doctor.status == 0, "\(doctor.output)")
            for name in ["connect", "server", "rights", "policy", "durability", "clock", "queue"] {
                #expect(Self.layer(name, doctor).contains(#""verdict":"ok""#), "\(Self.layer(name, doctor))")
            }
            #expect(Self.layer("delay", doctor).isMeasured, "\(Self.layer("delay", doctor))")
        }

        @Test func aServerThatIsNotTrustedFailsToConnect() async throws {
            let server = try RedisServer(.init(tls: .serverOnly))
            let end = try await Stage.run(["doctor", "--json"] + server.queue)
            #expect(end.output.last?.contains(#""first_failure":"connect""#) == true, "\(end.output)")
            #expect(end.status == 69 || end.status == 78)
        }

        @Test func aReplicaIsNoServerForAQueue() async throws {
            let master = try RedisServer()
            let replica = try RedisServer(.init(replicaOf: master))
            let end = try await Stage.run(["doctor", "--json"] + replica.queue)
            #expect(
                end.status == 69 && end.output.last?.contains(#""first_failure":"server""#) == true, "\(end.output)")
            #expect(Self.layer("server", end).contains("a replica of 127.0.0.1"))
        }

        @Test func aRightThatAWorkerLacksIsAFailureOfTheDoctor() async throws {
            let rights = try Self.documentedRights().replacingOccurrences(of: "+xdel ", with: "")
            let server = try RedisServer(.init(users: [Self.user(rights)]))
            let end = try await Stage.run(
                ["doctor", "--json", "--queue", "redis://worker@127.0.0.1:\(server.port)"], Self.password)
            let layer = Self.layer("rights", end)
            #expect(end.status == 78 && layer.contains("needs: xdel.") && layer.contains("+xdel"), "\(end.output)")
        }

        @Test func aUserWithoutTheRightToInfoIsNamed() async throws {
            let rights = try Self.documentedRights().replacingOccurrences(of: "+info ", with: "")
            let server = try RedisServer(.init(users: [Self.user(rights)]))
            let end = try await Stage.run(
                ["doctor", "--json", "--queue", "redis://worker@127.0.0.1:\(server.port)"], Self.password)
            #expect(Self.layer("connect", end).contains("does not let the user worker use INFO"), "\(end.output)")
            #expect(end.status == 78)
            #expect(!end.output.joined().contains("sesame"))
        }
    }
}
