import Foundation
import PushTerminal
import Testing

@testable import PushCampaign

@Suite("Records are left out because of their tokens") struct TokenFilterTests {
    private func file(_ text: String, _ name: String = "gone.csv") throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: folder.appending(path: name))
        return folder.path + "/" + name
    }

    private func record(_ token: String) -> InputRecord {
        var record = InputRecord(line: 2)
        record.token = token
        return record
    }

    private func left(_ filter: inout TokenFilter, _ tokens: [String]) throws -> [Bool] {
        var left: [Bool] = []
        for token in tokens { left.append(try filter.leavesOut(record(token))) }
        return left
    }

    @Test func onlyTheFirstRecordOfATokenIsTaken() throws {
        var filter = try TokenFilter(leavesOutDuplicates: true, excluding: [])
        #expect(try left(&filter, ["aa", "bb", "AA", "aa", "cc"]) == [false, false, true, true, false])
        #expect(filter.counts.duplicates == 2 && filter.counts.excluded == 0)
        #expect(filter.counts.text == "left out 2 duplicates")
    }

    @Test func aRecordThatCannotBeReadIsNotLeftOutAndHidesNone() throws {
        var filter = try TokenFilter(leavesOutDuplicates: true, excluding: [try file("token\nbb\n")])
        let unreadable = ["aa", "bb", "", ""].map { InputRecord(line: 2, token: $0, problem: "priority is wrong") }
        for record in unreadable { #expect(try !filter.leavesOut(record)) }
        #expect(try left(&filter, ["aa", "aa", "bb"]) == [false, true, true])
    }

    @Test(arguments: [
        ("token,timestamp\nAA,1\nbb,2\n", "gone.csv"), ("x,token\n1,aa\n2,bb\n", "gone.csv"),
        ("{\"token\":\"aa\"}\n{\"token\":\"bb\",\"left\":true}\n", "gone.ndjson"),
    ])
    func theTokensOfAFileAreLeftOut(text: String, name: String) throws {
        var filter = try TokenFilter(leavesOutDuplicates: false, excluding: [try file(text, name)])
        #expect(try left(&filter, ["aa", "cc", "cc", "BB", "aa"]) == [true, false, false, true, true])
        #expect(filter.counts.text == "left out 3 excluded tokens")
    }

    @Test func severalFilesAndDuplicatesGoTogether() throws {
        let files = [try file("token\naa\n"), try file("token\nbb\naa\n")]
        var filter = try TokenFilter(leavesOutDuplicates: true, excluding: files)
        #expect(try left(&filter, ["aa", "bb", "cc", "cc"]) == [true, true, false, true])
        #expect(filter.counts.text == "left out 1 duplicate and 2 excluded tokens")
    }

    @Test(arguments: [
        ("aa\nbb\n", "token"), ("token\n\"\"\n", "line 2"), ("{\"a\":1}\n", "token"), ("", "gone.csv"),
    ])
    func aFileWithoutTokensIsRefused(text: String, words: String) throws {
        let path = try file(text)
        let error = #expect(throws: CommandError.self) {
            try TokenFilter(leavesOutDuplicates: false, excluding: [path])
        }
        #expect(error?.status == .input && error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(throws: CommandError.self) { try TokenFilter(leavesOutDuplicates: false, excluding: ["/none/x.csv"]) }
    }

    @Test func whatItRemembersIsBounded() throws {
        var filter = try TokenFilter(leavesOutDuplicates: true, excluding: [], most: 2)
        #expect(try left(&filter, ["aa", "bb", "aa"]) == [false, false, true])
        let error = #expect(throws: CommandError.self) { try filter.leavesOut(record("cc")) }
        #expect(error?.status == .input && error?.message.contains("--dedupe") == true)
        let path = try file("token\naa\nbb\ncc\n")
        #expect(throws: CommandError.self) { try TokenFilter(leavesOutDuplicates: false, excluding: [path], most: 2) }
    }
}
