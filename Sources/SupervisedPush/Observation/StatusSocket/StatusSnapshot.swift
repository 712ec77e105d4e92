import FoundationEssentials
import Glibc
import ProcessRuntime

/// What a status socket tells: a line of JSON. docs/status-socket.md is its contract.
package struct StatusSnapshot: Sendable, Codable {
    /// The version of the protocol, in each line.
    package static let version = 1

    package let version: Int
    /// The name of the program's file.
    package let program: String
    package let processID: Int32
    /// The wall clock's time.
    package let time: Date
    /// How long the runtime has existed, by a clock that never goes back: for rates between two lines.
    package let uptimeSeconds: Double
    package let tree: SupervisionTree
    /// What the program would connect and cannot; nil if there is nothing.
    package let unconnected: [Unconnected]?

    /// Something that has no connection yet, although the program would push over it.
    package struct Unconnected: Sendable, Codable, Equatable {
        /// What its connection would be called.
        package let name: String
        /// Why there is none, as one line.
        package let cause: String

        package init(name: String, cause: String) { (self.name, self.cause) = (name, cause) }
    }

    package init(
        program: String, processID: Int32, time: Date, uptimeSeconds: Double, tree: SupervisionTree,
        unconnected: [Unconnected] = []
    ) {
        version = Self.version
        self.program = program
        self.processID = processID
        self.time = time
        self.uptimeSeconds = uptimeSeconds
        self.tree = tree
        self.unconnected = unconnected.isEmpty ? nil : unconnected
    }

    /// The line, with its line feed.
    package var line: [UInt8] {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Everything in it can be encoded. If that were a mistake, the program would still go on.
        let text = (try? encoder.encode(self)) ?? Data(#"{"error":"the status cannot be encoded","version":1}"#.utf8)
        return Array(text) + [0x0A]
    }

    package static func decode(_ line: some Sequence<UInt8>) throws -> StatusSnapshot {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        return try decoder.decode(StatusSnapshot.self, from: Data(line))
    }
}

/// What every line of every version of the protocol has.
package struct StatusGreeting: Sendable, Codable {
    /// The version of the protocol.
    package let version: Int
    /// Why there is nothing else, and no line follows; nil in a snapshot.
    package let error: String?

    package init(error: String) {
        version = StatusSnapshot.version
        self.error = error
    }

    package var line: [UInt8] { Array((try? JSONEncoder().encode(self)) ?? Data()) + [0x0A] }

    package static func decode(_ line: some Sequence<UInt8>) throws -> StatusGreeting {
        try JSONDecoder().decode(StatusGreeting.self, from: Data(line))
    }
}

/// Takes snapshots of a runtime, without keeping it alive.
struct StatusReader: Sendable {
    private let tree: TreeReader
    private let start: MonotonicInstant
    private let program: String
    private let unconnected: @Sendable () -> [StatusSnapshot.Unconnected]

    init(
        _ tree: TreeReader, since start: MonotonicInstant,
        unconnected: @escaping @Sendable () -> [StatusSnapshot.Unconnected]
    ) {
        self.tree = tree
        self.start = start
        self.unconnected = unconnected
        program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? ""
    }

    var snapshot: StatusSnapshot {
        StatusSnapshot(
            program: program, processID: getpid(), time: Date(tree.time),
            uptimeSeconds: start.duration(to: tree.time.now).inSeconds, tree: tree.tree,
            unconnected: unconnected())
    }
}
