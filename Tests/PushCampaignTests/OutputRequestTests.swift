import Foundation
import PushTerminal
import SupervisedPush
import Testing

@testable import PushCampaign

/// Which files are written, and which never are.
@Suite final class OutputRequestTests {
    static func request(
        _ path: String, _ policy: OutputRequest.Policy = .refuse, _ inputs: NamedFiles = NamedFiles()
    ) -> OutputRequest {
        OutputRequest(
            flag: "--outcomes", path: path, policy: policy, beginning: OutcomesWriter.header, inputs: inputs)
    }

    private let folder = NSTemporaryDirectory() + "/pushctl-output-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func file(_ name: String, _ text: String) throws -> String {
        let path = folder + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func contents(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    private func mode(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test func aNewJournalTakesAFileWithoutRows() throws {
        for text in ["", "line,tok", OutcomesWriter.header] {
            let path = try file("o.csv", text)
            try run(path, .resume(behind: 0), line: 2)
            #expect(try contents(path) == OutcomesWriter.header + row(2))
        }
        for text in [OutcomesWriter.header + row(2), "notes", OutcomesWriter.header + "x"] {
            let path = try file("o.csv", text)
            let error = #expect(throws: CommandError.self) { try run(path, .resume(behind: 0), line: 3) }
            #expect(error?.status == .usage && error?.message.contains("the journal is new") == true)
            #expect(try contents(path) == text)
        }
    }

    @Test func aJournalContinuesItsFileAndKeepsWhatFollows() throws {
        let path = try file("o.csv", OutcomesWriter.header + row(2) + row(3))
        let size = UInt64((OutcomesWriter.header + row(2)).utf8.count)
        try run(path, .resume(behind: size), line: 4)
        #expect(try contents(path) == OutcomesWriter.header + row(2) + row(3) + row(4))
        for wrong in [size - 1, size + 1, 10_000] {
            let error = #expect(throws: CommandError.self) { try run(path, .resume(behind: wrong), line: 5) }
            #expect(error?.status == .input && error?.message.contains("not as the journal has left it") == true)
        }
        let gone = #expect(throws: CommandError.self) { try run(path + "x", .resume(behind: size), line: 5) }
        #expect(gone?.status == .input && gone?.message.contains("is gone") == true)
        #expect(throws: CommandError.self) { try run("/dev/null", .resume(behind: 0), line: 5) }
    }

    /// Writes one row as a run would.
    private func run(_ path: String, _ policy: OutputRequest.Policy, line: Int) throws {
        var writer = try OutcomesWriter(Self.request(path, policy).open())
        try writer.append(OutcomeRow(line: line, token: "aa", PushOutcome(.failed)))
        try writer.flush()
    }

    private func row(_ line: Int) -> String { "\(line),aa,failed,,,,,0,not_sent\n" }

    @Test func aNewFileIsItsOwnersAlone() throws {
        let path = folder + "/new.csv"
        try run(path, .refuse, line: 2)
        #expect(try contents(path) == OutcomesWriter.header + row(2))
        #expect(try mode(path) == 0o600)
    }

    @Test func aFileThatIsThereIsRefusedUnlessToldOtherwise() throws {
        let path = try file("rows.csv", OutcomesWriter.header + row(1))
        for refuses in [{ try Self.request(path).check() }, { _ = try Self.request(path).open() }] {
            let error = #expect(throws: CommandError.self, performing: refuses)
            #expect(error?.status == .usage)
            #expect(error?.message == "--outcomes: \(path) exists; name a new file.")
        }
        #expect(try contents(path) == OutcomesWriter.header + row(1))
        try run(path, .append, line: 2)
        #expect(try contents(path) == OutcomesWriter.header + row(1) + row(2))
        try run(path, .overwrite, line: 3)
        #expect(try contents(path) == OutcomesWriter.header + row(3))
        #expect(try mode(path) == 0o600)
    }

    @Test func aLinkToNothingIsNoNewFile() throws {
        let link = folder + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder + "/gone.csv")
        #expect(throws: CommandError.self) { _ = try Self.request(link).open() }
        #expect(!FileManager.default.fileExists(atPath: folder + "/gone.csv"))
        try run(link, .append, line: 2)
        #expect(try contents(folder + "/gone.csv") == OutcomesWriter.header + row(2))
    }

    @Test func rowsAreOnlyAddedToRows() throws {
        for text in ["notes\n", "line,token\n", OutcomeRow.columns] {
            let path = try file("notes", text)
            let error = #expect(throws: CommandError.self) { try run(path, .append, line: 2) }
            #expect(error?.status == .usage && error?.message.contains("nothing was appended") == true)
            #expect(try contents(path) == text)
        }
        let empty = try file("empty", "")
        try run(empty, .append, line: 2)
        #expect(try contents(empty) == OutcomesWriter.header + row(2))
    }

    @Test func aRowThatACrashCutOffStandsByItself() throws {
        let path = try file("torn.csv", OutcomesWriter.header + row(2) + "3,aa,deliv")
        try run(path, .append, line: 4)
        #expect(try contents(path) == OutcomesWriter.header + row(2) + "3,aa,deliv\n" + row(4))
    }

    @Test func aFileIsOneRunsAtATime() throws {
        let path = folder + "/rows.csv"
        let first = try OutcomesWriter(Self.request(path).open())
        for policy in [OutputRequest.Policy.append, .overwrite] {
            let error = #expect(throws: CommandError.self) { _ = try Self.request(path, policy).open() }
            #expect(error?.status == .usage && error?.message.contains("another run is writing") == true)
        }
        #expect(first.rows == 0)
        #expect(try contents(path) == OutcomesWriter.header)
    }

    @Test(arguments: [OutputRequest.Policy.refuse, .append, .overwrite])
    func noInputIsEverWritten(_ policy: OutputRequest.Policy) throws {
        let key = try file("AuthKey.p8", OutcomesWriter.header)
        let (symbolic, hard) = (folder + "/symbolic", folder + "/hard")
        try FileManager.default.createSymbolicLink(atPath: symbolic, withDestinationPath: key)
        try FileManager.default.linkItem(atPath: key, toPath: hard)
        var byPath = NamedFiles()
        byPath.add("the file of --key", path: symbolic)
        var byFile = NamedFiles()
        byFile.add("the file of --key", FileIdentity(at: key))
        for inputs in [byPath, byFile] {
            for name in [key, symbolic, hard, folder + "/./AuthKey.p8"] {
                let request = Self.request(name, policy, inputs)
                for refuses in [{ try request.check() }, { _ = try request.open() }] {
                    let error = #expect(throws: CommandError.self, performing: refuses)
                    #expect(error?.status == .usage)
                    #expect(
                        policy == .refuse
                            || error?.message == "--outcomes names the file of --key; give another file.")
                }
            }
        }
        #expect(try contents(key) == OutcomesWriter.header)
    }

    @Test func pipesAndDevicesHoldNothingToLose() throws {
        for policy in [OutputRequest.Policy.refuse, .append, .overwrite] {
            try Self.request("/dev/null", policy).check()
            try run("/dev/null", policy, line: 2)
        }
        let error = #expect(throws: CommandError.self) { _ = try Self.request(folder, .overwrite).open() }
        #expect(error?.status == .configuration)
    }
}
