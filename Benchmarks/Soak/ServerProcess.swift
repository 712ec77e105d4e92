import Foundation
import SupervisedPush

/// The simulator's process, from the client's side.
final class ServerProcess {
    let port: Int
    let directory: String
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var unread = Data()

    init(connections: Int, seed: UInt64) throws {
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--server", "\(connections)", "\(seed)"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let words = Self.read(output, &unread)?.split(separator: " ", maxSplits: 2).map(String.init) ?? []
        guard words.count == 3, words[0] == "ready", let port = Int(words[1]) else { throw SoakError("no server") }
        self.port = port
        directory = words[2]
    }

    /// Says a word; the lines that come up to the one that begins with `last`, that one included.
    func ask(_ word: String, until last: String) throws -> [String] {
        try input.fileHandleForWriting.write(contentsOf: Data((word + "\n").utf8))
        var lines: [String] = []
        while let line = Self.read(output, &unread) {
            lines.append(line)
            if line.hasPrefix(last) { return lines }
        }
        throw SoakError("the server ended at \"\(word)\"")
    }

    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
        try? output.fileHandleForReading.close()
    }

    private static func read(_ output: Pipe, _ unread: inout Data) -> String? {
        while true {
            if let end = unread.firstIndex(of: 0x0a) {
                defer { unread = Data(unread[(end + 1)...]) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            unread += more
        }
    }
}

struct SoakError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
