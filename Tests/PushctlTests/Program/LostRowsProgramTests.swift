import Foundation
import Testing

extension ProgramTests {
    /// Outcomes that a full disk does not take.
    @Suite(.timeLimit(.minutes(5))) struct LostRowsProgramTests {
        /// A limit for the size of files fails as a full disk does: a part of the bytes is written, the rest is not.
        @Test func wholeRowsStayAndTheOthersAreCounted() async throws {
            let stage = try await Stage()
            let outcomes = stage.folder + "/outcomes.csv"
            let input = try stage.file("in.csv", Stage.tokens(0..<2_000))
            let bulk = "\(Program.binary) bulk \(input) --payload \(try stage.payload()) --outcomes \(outcomes)"
            let end = try await Stage.run(
                ["simulate", "--", "sh", "-c", "trap '' XFSZ; ulimit -f 64; exec \(bulk)"])
            #expect(end.status == 2, "\(end.errors)")
            let text = try String(contentsOfFile: outcomes, encoding: .utf8)
            let rows = text.split(separator: "\n").dropFirst()
            #expect(text.hasSuffix("\n") && !rows.isEmpty && rows.count < 2_000)
            let line = try #require(end.errors.first { $0.contains("whole rows of this run") })
            let last = try #require(rows.last?.split(separator: ",").first)
            #expect(line.hasPrefix("pushctl: \(outcomes) has \(rows.count) whole rows of this run"))
            #expect(line.contains("the last one for line \(last) of \(input); ") && line.hasSuffix(" are missing"))
        }

        @Test func aDeviceThatTakesNothingHasNone() async throws {
            let stage = try await Stage()
            let input = try stage.file("in.csv", Stage.tokens(0..<10))
            let end = try await Stage.run(
                ["bulk", input, "--payload", try stage.payload(), "--outcomes", "/dev/full"] + stage.connection)
            #expect(end.status == 2 && end.errors.contains { $0.contains("cannot write /dev/full") })
        }
    }
}
