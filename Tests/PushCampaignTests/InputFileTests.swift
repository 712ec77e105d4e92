import Glibc
import PushTerminal
import Testing

@testable import PushCampaign

@Suite struct InputFileTests {
    @Test(arguments: [("/nowhere/x.csv", "no such file or directory"), ("/tmp", "it is a folder")])
    func whatCannotBeReadIsAnInputError(path: String, expected: String) {
        let error = #expect(throws: CommandError.self) { _ = try InputFile(path) }
        #expect(error?.status == .input)
        #expect(error?.message.contains(expected) == true)
    }

    @Test func aPlainFileHasASizeAndADeviceHasNone() throws {
        try withFile("token\naa\n") { path in
            let sizes = [try InputFile(path).size, try InputFile("/dev/null").size]
            #expect(sizes == [9, nil])
        }
    }

    @Test func aFileIsReadToItsEnd() throws {
        let text = "token\n" + String(repeating: "00ff\n", count: 50_000)
        try withFile(text) { path in
            let file = try InputFile(path)
            var reader = try RecordReaders.open(.csv, name: path) { buffer throws(CommandError) in
                try file.read(into: buffer)
            }
            var count = 0
            while try reader.next() != nil { count += 1 }
            #expect(count == 50_000)
            #expect(reader.bytesConsumed == file.size)
            #expect(reader.line == 50_002)
        }
    }

    @Test func stoppingEndsTheInput() throws {
        try withFile("token\naa\n") { path in
            let file = try InputFile(path)
            file.stop()
            file.stop()
            #expect(file.isStopped)
            let count = try withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { try file.read(into: $0) }
            #expect(count == 0)
        }
    }

    @Test func whatItOpensIsForThisProgramAlone() throws {
        let file = try InputFile("/dev/null")
        #expect(file.descriptors.count == 3)
        #expect(file.descriptors.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 })
        #expect(!file.isStopped)
    }

    @Test func aFileIsKnownByWhateverName() throws {
        try withFile("token\naa\n") { path in
            let link = path + ".link"
            try #require(link.withCString { name in path.withCString { symlink($0, name) } } == 0)
            defer { _ = unlink(link) }
            let file = try InputFile(path)
            #expect(file.identity != nil && file.identity == FileIdentity(at: link))
            #expect(file.identity != FileIdentity(at: "/proc/self/exe") && FileIdentity(at: "/dev/null") == nil)
        }
    }

    @Test func aSmallFileIsBounded() throws {
        try withFile("{\"aps\":{}}") { path in
            let contents = try InputFile.contents(of: path, limit: 10)
            #expect(contents == Array("{\"aps\":{}}".utf8))
            let error = #expect(throws: CommandError.self) { _ = try InputFile.contents(of: path, limit: 9) }
            #expect(error?.status == .input)
        }
    }

    @Test func aSmallFileIsTextWithoutAByteOrderMark() throws {
        try withFile("\u{FEFF}{}") { path in
            let contents = try InputFile.contents(of: path, limit: 10)
            #expect(contents == Array("{}".utf8))
        }
        try withFile("{\u{0}}\u{0}") { path in
            let error = #expect(throws: CommandError.self) { _ = try InputFile.contents(of: path, limit: 10) }
            #expect(error?.status == .input)
            #expect(
                error?.message == "\(path) is UTF-16; convert it to UTF-8: iconv -f UTF-16LE -t UTF-8 \(path) > NEW")
        }
    }

    private func withFile(_ text: String, _ body: (String) throws -> Void) throws {
        var template = Array("/tmp/pushctl-test.XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        try #require(descriptor >= 0)
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { _ = unlink(path) }
        defer { _ = close(descriptor) }
        let file = OutputFile(borrowing: descriptor, name: path)
        try file.write(Array(text.utf8))
        try body(path)
    }
}
