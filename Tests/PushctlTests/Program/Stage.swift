import Foundation
import Testing

/// A simulated APNs in another process, and a folder for a test's files.
final class Stage: Sendable {
    /// A host that no resolver finds, without asking a name server: a label has 63 characters at most (RFC 1035).
    static let nowhere = String(repeating: "n", count: 64) + ".test"

    let folder: String
    let simulator: Program
    /// The flags that lead there.
    let connection: [String]
    let key: String
    /// Where channels are managed.
    let managementPort: Int
    /// The flags that lead to its export of metrics; empty without one.
    let metrics: [String]

    /// - Parameters:
    ///   - script: When the simulator misbehaves, as JSON.
    ///   - log: Whether it writes a line for each request to ``log``.
    ///   - others: Further flags of the simulator.
    init(script: String? = nil, log: Bool = false, flags others: [String] = []) async throws {
        folder = NSTemporaryDirectory() + "/pushctl-tests-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var flags = ["simulate", "--credentials", folder + "/credentials"]
        if let script {
            let path = folder + "/script.json"
            try Data(script.utf8).write(to: URL(fileURLWithPath: path))
            flags += ["--script", path]
        }
        if log { flags += ["--log", folder + "/log.ndjson"] }
        flags += others
        simulator = try Program(flags)
        let line = try #require(await simulator.line(with: "port"))
        let facts = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        func text(_ name: String) throws -> String { try #require(facts[name] as? String) }
        key = try text("key")
        managementPort = try #require(facts["management-port"] as? Int)
        metrics =
            try (facts["metrics-host"] as? String).map { host in
                [
                    "--metrics-host", host, "--trust-roots", try text("trust-roots"), "--team-id", try text("team-id"),
                    "--topic", try text("topic"),
                ]
            } ?? []
        connection = [
            "--host", "localhost", "--port", "\(try #require(facts["port"] as? Int))",
            "--trust-roots", try text("trust-roots"), "--key", key, "--team-id", try text("team-id"),
            "--topic", try text("topic"),
        ]
    }

    /// The file of the simulator's log.
    var log: String { folder + "/log.ndjson" }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Writes a file and returns its path.
    func file(_ name: String, _ text: String) throws -> String { try file(name, Data(text.utf8)) }

    func file(_ name: String, _ data: Data) throws -> String {
        let path = folder + "/" + name
        try data.write(to: URL(fileURLWithPath: path))
        return path
    }

    /// A payload every record can share.
    func payload() throws -> String { try file("payload.json", #"{"aps":{"alert":"Boarding"}}"#) }

    /// CSV with this many device tokens.
    static func tokens(_ numbers: Range<Int>, header: Bool = true) -> String {
        numbers.reduce(into: header ? "token\n" : "") { $0 += String(format: "%064x\n", $1 + 1) }
    }

    /// The connection flags with one of them changed.
    func connection(_ name: String, _ value: String) -> [String] {
        var flags = connection
        if let index = flags.firstIndex(of: name) { flags[index + 1] = value }
        return flags
    }

    /// An accessory's answer, the content of its `aps`.
    static let answer = #"{"encryptedData":"ZA==","sessionIdentifier":"s","keyID":"aw==","messageIndex":"42"}"#

    /// Runs to the end.
    ///
    /// - Parameter settings: what stands in the environment besides, as `NAME=value`.
    static func run(_ arguments: [String], _ settings: [String] = []) async throws -> Program.End {
        try await Program(arguments, variables: settings).end()
    }
}
