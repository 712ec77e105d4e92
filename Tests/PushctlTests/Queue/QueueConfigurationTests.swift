import Foundation
import PushTerminal
import Testing

@testable import pushctl

@Suite("A configuration says where the queue is") struct QueueConfigurationTests {
    private static let redis = """
        {"key": "/AuthKey_ABC123DEFG.p8", "team-id": "T", "queue": "rediss://worker@redis.example/1", "name": "orders",
         "queue-password-file": "redis.password", "queue-trust-roots": "/roots.pem"}
        """

    private func expand(
        _ arguments: [String], _ variables: [String: String] = [:], say: (String) -> Void = { _ in }
    ) throws -> [String] {
        try ConfigurationArguments.expand(arguments, { variables[$0] }, say: say)
    }

    private func settings(
        of command: [String], _ flags: [String] = [], in path: String, _ variables: [String: String] = [:]
    ) throws -> [String] {
        try expand(command + ["--config", path] + flags, variables).dropFirst(command.count).prefix { $0 != "--config" }
            .map(\.self)
    }

    private func file(_ text: String) throws -> Scratch {
        let scratch = try Scratch()
        try Data(text.utf8).write(to: URL(fileURLWithPath: scratch.path))
        return scratch
    }

    @Test func aCommandOfAQueueTakesItsNamesAndNoOthers() throws {
        let file = try file(Self.redis)
        let folder = file.path.prefix(through: file.path.lastIndex(of: "/") ?? file.path.startIndex)
        let place = [
            "--queue=rediss://worker@redis.example/1", "--name=orders", "--queue-password-file=\(folder)redis.password",
            "--queue-trust-roots=/roots.pem",
        ]
        #expect(try settings(of: ["queue", "status"], in: file.path) == place)
        #expect(
            try settings(of: ["worker"], in: file.path) == ["--key=/AuthKey_ABC123DEFG.p8", "--team-id=T"] + place)
        #expect(try settings(of: ["send"], in: file.path) == ["--key=/AuthKey_ABC123DEFG.p8", "--team-id=T"])
        #expect(try settings(of: ["doctor"], in: file.path) == ["--key=/AuthKey_ABC123DEFG.p8", "--team-id=T"])
        #expect(try settings(of: ["doctor"], ["--examine", "queue"], in: file.path) == place)
        let options = try QueueOptions.parsed(place + ["--config", file.path])
        #expect(options.name == "orders" && options.redis.queueTrustRoots == "/roots.pem")
    }

    @Test func whatBelongsToTheQueueOfAFileDoesNotGoToAnother() throws {
        let file = try file(Self.redis)
        #expect(try settings(of: ["queue", "status"], ["--queue", "q.db"], in: file.path) == ["--name=orders"])
        #expect(try settings(of: ["doctor"], ["--queue", "q.db"], in: file.path) == ["--name=orders"])
        let variables = ["PUSHCTL_QUEUE": "q.db"]
        #expect(try settings(of: ["queue", "status"], in: file.path, variables) == ["--name=orders"])
    }

    @Test func theVariableWinsOverAFileAndSaysSo() throws {
        let file = try file(#"{"queue": "/a.db"}"#)
        var lines: [String] = []
        let named = try expand(
            ["queue", "status", "--config", file.path], ["PUSHCTL_QUEUE": "q.db"], say: { lines.append($0) })
        #expect(named == ["queue", "status", "--config", file.path])
        #expect(lines == ["pushctl: PUSHCTL_QUEUE says where the queue is, and not --config"])
        let variables = ["PUSHCTL_QUEUE": "q.db", "PUSHCTL_CONFIG": file.path]
        _ = try expand(["queue", "status"], variables, say: { lines.append($0) })
        _ = try expand(["send", "aabb", "--config", file.path], variables, say: { lines.append($0) })
        #expect(lines.count == 1)
    }

    @Test func theVariablesFileCountsForCommandsOfAQueue() throws {
        let file = try file(#"{"queue": "/a.db"}"#)
        let variables = ["PUSHCTL_CONFIG": file.path]
        let config = "--config=\(file.path)"
        #expect(
            try expand(["queue", "put", "a.csv"], variables) == ["queue", "put", "--queue=/a.db", config, "a.csv"])
        #expect(try expand(["queue", "--help"], variables) == ["queue", "--help"])
        let others = [["doctor", "--queue", "q.db"], ["worker", "--queues", "t.json", "--queue", "q.db"]]
        for arguments in others { #expect(try expand(arguments, variables) == arguments) }
    }

    @Test func aFileOfQueuesTakesThePlaceFromAConfiguration() throws {
        let file = try file(#"{"certificate": "/c", "queue": "/a.db", "name": "orders"}"#)
        #expect(try settings(of: ["worker"], ["--queues", "t.json"], in: file.path) == ["--queue=/a.db"])
        _ = try WorkerOptions.parsed(["--queue=/a.db", "--config", file.path, "--queues", "t.json"])
    }

    @Test(arguments: ["queue", "queue-key", "name"]) func aQueueInAFileOfQueuesHasNoPlaceOfItsOwn(name: String) throws {
        let file = try file(#"{"orders": {"certificate": "/c", "\#(name)": "x"}}"#)
        let error = #expect(throws: CommandError.self) {
            try WorkerQueues.of(WorkerOptions.parsed(["--queue", "q.db", "--queues", file.path]))
        }
        #expect(
            error?.status == .configuration
                && error?.message.contains("\"orders\": \(name) is not a queue's own") == true)
    }

    @Test(arguments: [
        ("redis://me:hunter2@host", "queue has a password; give the file of it as queue-password-file"),
        ("ftp://me:hunter2@host", "queue has a password"), ("ftp://host", "queue has the scheme ftp"),
        ("host:6379", "queue looks like a server"), ("redis://host:99999", "queue "),
    ])
    func aPlaceThatIsNoneIsNamedWithItsLine(place: String, words: String) throws {
        let file = try file("{\n\"queue\": \"\(place)\"}")
        let error = #expect(throws: CommandError.self) { try expand(["queue", "status", "--config", file.path]) }
        #expect(error?.status == .configuration)
        #expect(error?.message.contains("\(file.path), line 2: \(words)") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("hunter2") == false)
        // A command that takes no queue does not look at it.
        _ = try expand(["send", "aabb", "--config", file.path])
    }

    @Test func aQueueIsExaminedWhereverItIsNamed() throws {
        #expect(try DoctorOptions.parsed(["--queue", "q.db"]).location() == .file("q.db"))
        #expect(try DoctorOptions.parsed(["--queue", "q.db", "--examine", "queue"]).location() == .file("q.db"))
        #expect(try DoctorOptions.parsed([]).location() == nil)
        for flags in [["--examine", "apns", "--queue", "q.db"], ["--queue-key", "k"]] {
            #expect(throws: CommandError.self) { try DoctorOptions.parsed(flags) }
        }
    }
}
