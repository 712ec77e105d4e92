import Foundation

/// A folder in which the `openssl` command makes credentials in the forms that people have them.
final class CredentialFolder: Sendable {
    struct Failed: Error {
        let command: [String]
        let errors: String
    }

    /// Whether `openssl` can write what only the legacy provider encrypts.
    static let hasLegacyProvider = (try? CredentialFolder().openssl("list -providers -provider legacy", to: nil)) != nil

    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "/credential-tests-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
    }

    func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))) }

    /// Runs `openssl` in the folder and returns what it writes to the file `out`, which stays there; empty with nil.
    @discardableResult
    func openssl(_ command: String, to output: String? = "out") throws -> [UInt8] {
        var arguments = command.split(separator: " ").map(String.init)
        if let output { arguments.insert(contentsOf: ["-out", output], at: 1) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: path)
        let errors = Pipe()
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let said = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failed(command: arguments, errors: String(decoding: said, as: UTF8.self))
        }
        return try output.map { try read($0) } ?? []
    }
}
