import Dispatch
import Foundation
import PushTransport
import SupervisedPush
import Testing

extension ProgramTests {
    /// `pushctl top` beside a bulk.
    @Suite("parity: F19 – pushctl top", .timeLimit(.minutes(5)))
    struct TopProgramTests {
        /// A bulk that has pushed some records, and waits for more.
        private func campaign(_ stage: Stage, _ flags: [String] = []) async throws -> (bulk: Program, socket: String) {
            let socket = stage.folder + "/bulk.sock"
            let arguments =
                ["bulk", "-", "--payload", try stage.payload(), "--status-socket", socket] + stage.connection + flags
            let bulk = try Program(arguments, feedsInput: true)
            try bulk.feed(Stage.tokens(0..<20))
            #expect(await bulk.lines(21))
            return (bulk, socket)
        }

        private func end(_ bulk: Program) async { _ = await bulk.end(insisting: SIGTERM) }

        // MARK: Without a terminal

        @Test func onceAsJSONIsALineOfTheProtocol() async throws {
            let stage = try await Stage()
            let (bulk, socket) = try await campaign(stage, ["--connections", "2"])
            let end = try await Stage.run(["top", socket, "--once", "--json"])
            #expect(end.status == 0 && end.output.count == 1 && end.errors.isEmpty)
            let snapshot = try StatusSnapshot.decode(Data((end.output.first ?? "").utf8))
            #expect(snapshot.program == "pushctl" && snapshot.tree.pools.first?.status.name == "bulk")
            #expect(snapshot.tree.children.map(\.member) == [1, 2])
            #expect(snapshot.tree.pools.first?.status.counters.accepted == 20)
            await self.end(bulk)
            #expect(!FileManager.default.fileExists(atPath: socket))
        }

        @Test func offATerminalItIsATable() async throws {
            let stage = try await Stage()
            let (bulk, socket) = try await campaign(stage)
            let end = try await Stage.run(["top", socket])
            #expect(end.status == 0 && end.errors.isEmpty)
            #expect(end.output.first?.hasPrefix("pushctl ") == true && end.output.count == 5)
            #expect(end.output.dropFirst().first == "20 pushes, 0.0/s  20 accepted")
            #expect(end.output.last?.hasPrefix("bulk  up") == true && !end.output.joined().contains("\u{1B}"))
            await self.end(bulk)
        }

        @Test func linesFollowUntilTheProgramEnds() async throws {
            let stage = try await Stage()
            let (bulk, socket) = try await campaign(stage)
            let top = try Program(["top", socket, "--json"])
            #expect(await top.lines(2))
            await end(bulk)
            #expect(await top.end().status == 0)
        }

        @Test func aCheckEndsWithACode() async throws {
            let stage = try await Stage()
            let (bulk, socket) = try await campaign(stage)
            let well = try await Stage.run(["top", "--check", socket])
            #expect(well.status == 0 && well.output.isEmpty && well.errors.isEmpty)
            stage.simulator.signal(SIGKILL)
            #expect(await bulk.line(with: "no link to ") != nil)
            let away = try await Stage.run(["top", "--check", socket])
            #expect(away.status == 69 && away.output.count == 1, "\(away.output)")
            #expect(away.output.first?.hasPrefix("bulk: d") == true)
            await end(bulk)
            #expect(try await Stage.run(["top", "--check", socket]).status == 66)
            #expect(try await Stage.run(["top", "--check", "--json", socket]).status == 64)
        }

        @Test func aSignalEndsIt() async throws {
            let stage = try await Stage()
            let (bulk, socket) = try await campaign(stage)
            let top = try Program(["top", socket, "--json"])
            #expect(await top.lines(1))
            top.signal(SIGINT)
            #expect(await top.end().status == 130)
            await end(bulk)
        }

        @Test func theOnlySocketOfTheUsualPlaceNeedsNoName() async throws {
            let stage = try await Stage()
            let folder = stage.folder + "/supervised-push"
            let flags = ["--payload", try stage.payload(), "--status-socket", folder + "/a.sock"] + stage.connection
            let bulk = try Program(["bulk", "-"] + flags, feedsInput: true)
            try bulk.feed(Stage.tokens(0..<1))
            #expect(await bulk.lines(2))
            let place = ["XDG_RUNTIME_DIR=\(stage.folder)"]
            #expect(try await Stage.run(["top", "--once", "--json"], place).status == 0)
            #expect(FileManager.default.createFile(atPath: folder + "/b.sock", contents: nil))
            let two = try await Stage.run(["top", "--once"], place)
            #expect(two.status == 64)
            #expect(two.errors == ["pushctl: name one of the 2 status sockets: \(folder)/a.sock, \(folder)/b.sock."])
            await end(bulk)
        }

        // MARK: What is no status socket

        @Test func errorsAreSentences() async throws {
            let stage = try await Stage()
            func top(_ path: String, _ settings: [String] = []) async throws -> String {
                let end = try await Stage.run(["top", "--once"] + (path.isEmpty ? [] : [path]), settings)
                #expect(end.output.isEmpty && end.errors.count == 1)
                return "\(end.status) \(end.errors.first ?? "")"
            }
            #expect(
                try await top("/no/such.sock")
                    == "66 pushctl: there is no status socket /no/such.sock: the program has not opened it yet, or it has ended."
            )
            let file = try stage.file("plain.txt", "x")
            #expect(try await top(file) == "66 pushctl: \(file) is not a socket.")
            let stale = stage.folder + "/stale.sock"
            let remains = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            #expect(try UnixAddress(stale).withSockaddr { bind(remains, $0, $1) } == 0)
            close(remains)
            #expect(try await top(stale) == "69 pushctl: \(stale) has no server: the program that made it has ended.")
            let long = try await top("/" + String(repeating: "a", count: 200))
            #expect(long.hasPrefix("64 ") && long.contains("at most 107 bytes, and this one has 201"))
            #expect(
                try await top("", ["XDG_RUNTIME_DIR=\(stage.folder)"])
                    == "64 pushctl: name the status socket: there is none in \(stage.folder)/supervised-push.")
            #expect(try await top("").contains("XDG_RUNTIME_DIR is not set"))
        }

        @Test(arguments: [
            (#"{"version":2,"tree":{}}"#, Int32(69), "speaks version 2 of the protocol, and this pushctl version 1"),
            (#"{"version":1,"error":"16 clients are connected already"}"#, 69, "serves no further client: 16 clients"),
            (#"{"version":1}"#, 66, "a line lacks a required member"),
            ("220 mail.example ESMTP", 66, "pushctl cannot read its first line"),
        ])
        func anotherProtocolIsNamed(_ line: String, _ status: Int32, _ words: String) async throws {
            let folder = NSTemporaryDirectory() + "/top-\(UUID().uuidString.prefix(8))"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let path = folder + "/other.sock"
            let listener = try UnixListener(at: path)
            let queue = DispatchQueue(label: "test.other")
            listener.accept(on: queue) { channel in
                let bytes = Array((line + "\n").utf8)
                _ = bytes.withUnsafeBytes { channel.write($0) }
                channel.close()
            }
            let end = try await Stage.run(["top", path, "--once"])
            #expect(end.status == status && end.errors.count == 1 && end.errors.first?.contains(words) == true)
            listener.close()
        }

        @Test func aBulkWhoseSocketCannotBeOpenedPushesNothing() async throws {
            let stage = try await Stage()
            let input = try stage.file("tokens.csv", Stage.tokens(0..<2))
            let flags = ["--payload", try stage.payload(), "--status-socket", "/no/such/a.sock"] + stage.connection
            let end = try await Stage.run(["bulk", input] + flags)
            #expect(end.status == 78 && end.output.isEmpty)
            #expect(end.errors == ["pushctl: The folder /no/such cannot be used: No such file or directory."])
        }
    }
}
