import Dispatch
import Foundation
import PushLocking
import PushTransport
import TestSupport
import Testing

@testable import SupervisedPush

@Suite("parity: F19 – a status socket", .timeLimit(.minutes(5)))
final class StatusServerTests {
    private let folder: String
    private var path: String { folder + "/orders.sock" }
    private let text = Array("state".utf8)
    private let short = Array("state\n".utf8)

    init() throws {
        folder = NSTemporaryDirectory() + "/status-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    /// Why no socket can be opened there.
    private func failure(at path: String) -> StatusSocketError? {
        do {
            try StatusServer(at: path) { [] }.close()
            return nil
        } catch { return error }
    }

    // MARK: Clients

    @Test func everyClientGetsALineAtOnceAndMoreAsTimePasses() async throws {
        let asked = Locked(0)
        let server = try StatusServer(at: path, limits: .init(interval: .milliseconds(5))) {
            Array("state \(asked.withLock { $0 += 1; return $0 })\n".utf8)
        }
        let (first, second) = (try StatusLines(path), try StatusLines(path))
        for client in [first, second, first, second] {
            #expect(await client.next()?.starts(with: "state ".utf8) == true)
        }
        // One that leaves does not disturb the other.
        first.close()
        #expect(await second.next() != nil)
        server.close()
        while await second.next() != nil {}
    }

    @Test func aClientThatDoesNotReadIsDroppedAndTheOthersGoOn() async throws {
        // The first line is more than the kernel keeps for a socket.
        let long = [UInt8](repeating: 0x20, count: 1 << 20) + [0x0A]
        let isFirst = Locked(true)
        let limits = StatusServer.Limits(interval: .milliseconds(5), missedLines: 3)
        let server = try StatusServer(at: path, limits: limits) { [short] in
            isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst ? long : short
            }
        }
        let silent = try StatusLines(path, reads: false)
        await until { !isFirst.withLock { $0 } }
        let reader = try StatusLines(path)
        // By the tenth line, the silent one has missed more than three.
        for _ in 0..<10 { #expect(await reader.next() == text) }
        silent.read()
        // It finds a part of its first line, and the end.
        #expect(await silent.next() == nil)
        #expect(await reader.next() != nil)
        server.close()
    }

    @Test func oneTooManyIsToldWhyAndAnotherFindsThePlaceOfOneThatLeft() async throws {
        let server = try StatusServer(at: path, limits: .init(clients: 1, interval: .milliseconds(5))) { [short] in
            short
        }
        let first = try StatusLines(path)
        #expect(await first.next() != nil)
        let second = try StatusLines(path)
        let greeting = try StatusGreeting.decode(try #require(await second.next()))
        #expect(greeting.version == 1 && greeting.error == "1 clients are connected already")
        #expect(await second.next() == nil)
        first.close()
        var third: [UInt8]?
        while third != text { third = await (try StatusLines(path)).next() }
        server.close()
    }

    @Test func aClientThatTalksIsDropped() async throws {
        let server = try StatusServer(at: path, limits: .init(interval: .milliseconds(5))) { [short] in short }
        let client = try StatusLines(path)
        #expect(await client.next() != nil)
        client.say(8_192)
        while await client.next() != nil {}
        server.close()
    }

    // MARK: The file

    @Test func onlyItsUserMayConnectWhateverTheUmask() throws {
        let before = umask(0)
        defer { umask(before) }
        let server = try StatusServer(at: path) { [short] in short }
        #expect(mode(path) == 0o600)
        server.close()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func theSocketOfAProgramThatHasEndedIsReplaced() async throws {
        // Bound and never listening, as one whose program was killed.
        let remains = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #expect(try UnixAddress(path).withSockaddr { bind(remains, $0, $1) } == 0)
        close(remains)
        let server = try StatusServer(at: path) { [short] in short }
        #expect(await (try StatusLines(path)).next() == text)
        server.close()
    }

    @Test func theSocketOfALiveProgramIsKept() async throws {
        let server = try StatusServer(at: path) { [short] in short }
        let error = failure(at: path)
        #expect(error?.description == "Another program serves \(path): end it, or choose another path.")
        #expect(await (try StatusLines(path)).next() == text)
        server.close()
    }

    @Test func aFileIsKept() throws {
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        let error = failure(at: path)
        #expect(error?.description.contains("is a file and not a socket") == true)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    }

    @Test func onlyAMissingLastFolderIsMade() throws {
        let inner = folder + "/run"
        let server = try StatusServer(at: inner + "/a.sock") { [short] in short }
        #expect(mode(inner) == 0o700)
        server.close()
        let error = failure(at: folder + "/no/such/a.sock")
        #expect(error?.description.contains("The folder \(folder)/no/such cannot be used: No such file") == true)
    }

    @Test(arguments: [("", "must not be empty"), (String(repeating: "a", count: 108), "at most 107 bytes")])
    func aPathThatNoSocketCanHaveIsAnError(_ path: String, _ why: String) {
        let error = failure(at: path)
        #expect(error?.description.contains(why) == true)
    }

    @Test func theLongestPathThereIsWorks() throws {
        let room = 107 - folder.utf8.count - 1
        let path = folder + "/" + String(repeating: "a", count: room)
        let server = try StatusServer(at: path) { [short] in short }
        #expect(mode(path) == 0o600)
        server.close()
    }

    @Test func itIsRemovedAlsoIfItsModeWasChanged() throws {
        let server = try StatusServer(at: path) { [short] in short }
        #expect(chmod(path, 0o660) == 0)
        server.close()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func whatHasTakenItsNameSinceIsKept() throws {
        let server = try StatusServer(at: path) { [short] in short }
        try FileManager.default.removeItem(atPath: path)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        server.close()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    }
}
