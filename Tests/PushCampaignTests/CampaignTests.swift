import Foundation
import PushSimulator
import PushTesting
import SupervisedPush
import TestSupport
import Testing

@testable import PushCampaign

/// Campaigns of the library over a simulated APNs: every record has one row.
@Suite(.timeLimit(.minutes(2))) final class CampaignTests {
    private let folder = NSTemporaryDirectory() + "/campaign-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private static let hello = Campaign.Content.notification(.alert(title: "Hello {{name}}", body: "{{percent}} % off"))

    private func path(_ name: String) -> String { folder + "/" + name }

    private func write(_ text: String, to name: String = "devices.csv") throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
        return path(name)
    }

    private func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

    /// So many devices, each with a name.
    private func devices(_ count: Int) throws -> String {
        let rows = (0..<count).map { "\(DeviceToken.simulated(number: UInt32($0)).hex),Ann \($0),\($0 % 50)" }
        return try write((["token,name,percent"] + rows).joined(separator: "\n") + "\n")
    }

    private func rows(_ campaign: Campaign) async throws -> [OutcomeRow] {
        var rows: [OutcomeRow] = []
        for try await row in campaign.run() { rows.append(row) }
        return rows
    }

    private func refusal(_ campaign: Campaign) async throws -> CampaignError? {
        await #expect(throws: CampaignError.self) { try await rows(campaign) }
    }

    @Test func everyRecordHasARowAndItsOwnText() async throws {
        let gone = DeviceToken.simulated(.unregistered).hex
        let records = try write(
            "token,name,percent\n\(DeviceToken.simulated().hex),\"Ann \"\"A\"\"\",10\n\(gone),Bob,20\nxyz,Eve,30\n")
        try await withSimulatedAPNs(connecting: "sale", timeLimit: nil) { apple, runtime in
            var configuration = Campaign.Configuration()
            (configuration.outcomes, configuration.unregistered) = (path("outcomes.csv"), path("gone.csv"))
            let campaign = Campaign(
                records: records, content: Self.hello, over: try runtime.connection(named: "sale"),
                configuration: configuration)
            let rows = try await rows(campaign).sorted { $0.line < $1.line }
            #expect(rows.map(\.line) == [2, 3, 4])
            #expect(rows.map(\.kind) == [.delivered, .rejected, .failed])
            #expect(rows.map(\.reason) == [nil, "Unregistered", "invalid_input"])
            #expect(apple.pushes.map(\.alertTitle) == ["Hello Ann \"A\""])
            #expect(apple.pushes.map(\.alertBody) == ["10 % off"])
            #expect(campaign.progress.count(of: .failed) == 1 && campaign.progress.records == 3)
            #expect("\(campaign.progress)".hasPrefix("1 delivered, 1 rejected (Unregistered 1), 1 failed"))
        }
        #expect(try text("outcomes.csv").split(separator: "\n").count == 4)
        #expect(try text("gone.csv").hasPrefix("token,timestamp\n\(gone),"))
    }

    @Test func anIDIsWrittenAsItsRecordHasItAndColumnsHaveAnyDelimiter() async throws {
        let ids = ["123E4567-E89B-42D3-A456-42661417400A", "123e4567-e89b-42d3-a456-42661417400b"]
        let (taken, gone) = (DeviceToken.simulated().hex, DeviceToken.simulated(.unregistered).hex)
        let records = try write(
            "token;name;percent;apns_id\n\(taken);Ann;1;\(ids[0])\n\(gone);Bob;2;\(ids[0].dropLast())C\n"
                + "\(taken);Eve;3;\(ids[1])\n")
        try await withSimulatedAPNs(connecting: "sale", timeLimit: nil) { _, runtime in
            for journal in [nil, "sale.journal"] {
                var configuration = Campaign.Configuration()
                configuration.delimiter = ";"
                let outcomes = journal == nil ? "outcomes.csv" : "second.csv"
                (configuration.outcomes, configuration.journal) = (path(outcomes), journal.map { path($0) })
                let campaign = Campaign(
                    records: records, content: Self.hello, over: try runtime.connection(named: "sale"),
                    configuration: configuration)
                #expect(try await rows(campaign).count == 3)
                let written = try text(outcomes).split(separator: "\n").dropFirst().sorted()
                    .map { $0.split(separator: ",", omittingEmptySubsequences: false)[5] }
                #expect(written == [ids[0][...], ids[0].dropLast() + "C", ids[1][...]])
            }
        }
    }

    @Test(arguments: [#"{"x":1}"#, #"{"APS":{"alert":"x"}}"#, #"{"alert":"x"}"#])
    func aPayloadOfAllRecordsWithoutAPSIsRefused(json: String) async throws {
        let records = try write("token\n\(DeviceToken.simulated().hex)\n")
        let file = try write(json, to: "payload.json")
        try await withSimulatedAPNs(connecting: "sale", timeLimit: nil) { apple, runtime in
            let connection = try runtime.connection(named: "sale")
            for content in [Campaign.Content.json(json), .file(file)] {
                let error = try await refusal(Campaign(records: records, content: content, over: connection))
                #expect(error?.description.contains("waive the rule content") == true, "\(error as Any)")
            }
            #expect(apple.pushes.isEmpty)
            let call = Campaign(records: records, content: .json(json, pushType: .voip), over: connection)
            #expect(try await rows(call).count == 1)
        }
    }

    @Test func aStoppedCampaignGoesOnWithItsJournalAndPushesNothingTwice() async throws {
        let records = try devices(400)
        var configuration = Campaign.Configuration()
        (configuration.outcomes, configuration.journal) = (path("outcomes.csv"), path("sale.journal"))
        try await withSimulatedAPNs(connecting: "sale", timeLimit: nil) { [configuration] apple, runtime in
            let connection = try runtime.connection(named: "sale")
            func campaign() -> Campaign {
                Campaign(records: records, content: Self.hello, over: connection, configuration: configuration)
            }
            let first = campaign()
            var taken = 0
            for try await _ in first.run() {
                taken += 1
                if taken == 50 { first.stop(within: .seconds(30)) }
            }
            let second = campaign()
            let rest = try await rows(second)
            #expect(taken + rest.count == 400)
            #expect(second.progress.earlier == taken && second.progress.count(of: .delivered) == 400)
            #expect(Set(apple.pushes.map(\.deviceToken)).count == 400 && apple.pushes.count == 400)
            // All is done: a third run has nothing to do.
            #expect(try await rows(campaign()).isEmpty)
        }
        let lines = try text("outcomes.csv").split(separator: "\n").dropFirst().compactMap {
            $0.split(separator: ",").first
        }
        #expect(Set(lines).count == 400 && lines.count == 400)
    }

    @Test func whoTakesNoMoreRowsEndsTheCampaignAndItsRowsAreInTheFile() async throws {
        let records = try devices(5_000)
        var configuration = Campaign.Configuration()
        configuration.outcomes = path("outcomes.csv")
        try await withSimulatedAPNs(connecting: "sale", timeLimit: nil) { [configuration] apple, runtime in
            let campaign = Campaign(
                records: records, content: Self.hello, over: try runtime.connection(named: "sale"),
                configuration: configuration)
            for try await row in campaign.run() {
                #expect(row.kind == .delivered)
                break
            }
            // The file is complete when the last push has its row.
            try await until { try campaign.progress.underWay == 0 && self.rowCount == campaign.progress.records }
            #expect(campaign.progress.records < 5_000)
            #expect(try await refusal(campaign)?.description.contains("run once") == true)
        }
    }

    private var rowCount: Int { get throws { try text("outcomes.csv").split(separator: "\n").count - 1 } }

    @Test func aSlowTakerDelaysTheReading() async throws {
        let records = try devices(20_000)
        try await withSimulatedAPNs(connecting: "sale", timeLimit: nil) { apple, runtime in
            let campaign = Campaign(
                records: records, content: Self.hello, over: try runtime.connection(named: "sale"))
            var iterator = campaign.run().makeAsyncIterator()
            _ = try await iterator.next()
            // The channel, the batch that waits for it, and the bulk's window are full: far less than all.
            await until { campaign.progress.underWay > 0 && apple.pushes.count > 1_000 }
            #expect(campaign.progress.records < 10_000)
            var count = 1
            while try await iterator.next() != nil { count += 1 }
            #expect(count == 20_000 && campaign.progress.records == 20_000)
        }
    }

    @Test func aStrictCampaignPushesNothingIfARecordIsNotValid() async throws {
        let records = try write("token,name,percent\n\(DeviceToken.simulated().hex),Ann,1\nxyz,Bob,2\n")
        try await withSimulatedAPNs(connecting: "sale", timeLimit: nil) { apple, runtime in
            var configuration = Campaign.Configuration()
            configuration.isStrict = true
            configuration.outcomes = path("outcomes.csv")
            let error = try await refusal(
                Campaign(
                    records: records, content: Self.hello, over: try runtime.connection(named: "sale"),
                    configuration: configuration))
            #expect(error?.code == .records)
            #expect(error?.description.hasPrefix("1 of 2 records of \(records) are not valid") == true)
            #expect(apple.pushes.isEmpty && !FileManager.default.fileExists(atPath: path("outcomes.csv")))
        }
    }

    /// A campaign that can't run, and what its error says.
    private struct Refused: Sendable {
        var records: String
        var content: Campaign.Content? = CampaignTests.hello
        var outcomes: String?
        var journal: String?
        var limit: Int?
        let code: CampaignError.Code
        let words: String

        func campaign(over connection: PushConnection) -> Campaign {
            var configuration = Campaign.Configuration()
            (configuration.outcomes, configuration.journal, configuration.limit) = (outcomes, journal, limit)
            return Campaign(records: records, content: content, over: connection, configuration: configuration)
        }
    }

    @Test func whatCannotRunSaysWhyAndPushesNothing() async throws {
        let (records, empty) = (try devices(1), try write("token\n", to: "empty.csv"))
        let nobody = Campaign.Content.json(#"{"aps":{"alert":"{{nobody}}"}}"#)
        let campaigns = [
            Refused(records: path("none.csv"), code: .records, words: "none.csv"),
            Refused(records: empty, content: .json("{}"), code: .records, words: "holds no records"),
            Refused(records: records, content: nil, code: .configuration, words: "no payload"),
            Refused(records: records, content: nobody, code: .configuration, words: "nobody"),
            Refused(records: records, outcomes: records, code: .configuration, words: "the file of the records"),
            Refused(records: records, outcomes: "/none/outcomes.csv", code: .files, words: "/none/outcomes.csv"),
            Refused(records: records, journal: "j", code: .configuration, words: "needs outcomes"),
            Refused(
                records: records, outcomes: path("o.csv"), journal: path("o.csv"), code: .configuration,
                words: "can't be one file"),
            Refused(records: records, content: .file(path("none.json")), code: .configuration, words: "none.json"),
            Refused(records: records, limit: 0, code: .configuration, words: "limit is 0: it must be 1 or more."),
        ]
        try await withSimulatedAPNs(connecting: "sale", timeLimit: nil) { apple, runtime in
            let connection = try runtime.connection(named: "sale")
            for refused in campaigns {
                let error = try await refusal(refused.campaign(over: connection))
                #expect(
                    error?.code == refused.code && error?.description.contains(refused.words) == true,
                    "\(refused.words)")
            }
            #expect(apple.pushes.isEmpty)
        }
    }

    @Test func aClosedConnectionEndsItWithItsCause() async throws {
        let records = try devices(3)
        try await withSimulatedAPNs(connecting: "sale", timeLimit: nil) { apple, runtime in
            let connection = try runtime.connection(named: "sale")
            _ = await connection.close(within: .zero)
            let error = try await refusal(Campaign(records: records, content: Self.hello, over: connection))
            #expect(error?.code == .closed)
        }
    }

    @Test func headersOfTheContentAreThoseOfRecordsWithoutThem() async throws {
        let token = DeviceToken.simulated().hex
        let records = try write(
            #"{"token":"\#(token)","order":"7","priority":5}"# + "\n" + #"{"token":"\#(token)","order":"8"}"# + "\n",
            to: "devices.ndjson")
        let notification = try PushNotification.alert(title: "Order {{order}}").with {
            $0.priority = .immediate
            $0.collapseID = try CollapseID("order-{{order}}")
        }
        try await withSimulatedAPNs(connecting: "sale", timeLimit: nil) { apple, runtime in
            let campaign = Campaign(
                records: records, content: .notification(notification), over: try runtime.connection(named: "sale"))
            #expect(try await rows(campaign).map(\.kind) == [.delivered, .delivered])
            let pushes = apple.pushes.sorted { ($0.alertTitle ?? "") < ($1.alertTitle ?? "") }
            #expect(pushes.map(\.collapseID) == ["order-7", "order-8"])
            #expect(pushes.map(\.priority) == ["5", "10"])
        }
    }

    @Test func recordsWithAPayloadOfTheirOwnHaveTheHeadersOfTheContentToo() async throws {
        let token = DeviceToken.simulated().hex
        let own = #"{"token":"\#(token)","payload":{"aps":{"alert":"Mine"}}}"#
        let records = try write(own + "\n" + #"{"token":"\#(token)"}"# + "\n", to: "devices.ndjson")
        let soon = Expiration(unixSeconds: 4_000_000_000)
        let notification = PushNotification.alert(title: "Ours").with {
            ($0.priority, $0.expiration) = (.conserving, soon)
        }
        try await withSimulatedAPNs(connecting: "sale", timeLimit: nil) { apple, runtime in
            var configuration = Campaign.Configuration()
            configuration.timeToLive = .seconds(60)
            let campaign = Campaign(
                records: records, content: .notification(notification), over: try runtime.connection(named: "sale"),
                configuration: configuration)
            #expect(try await rows(campaign).map(\.kind) == [.delivered, .delivered])
            #expect(apple.pushes.map(\.priority) == ["5", "5"])
            // The content's own expiration is kept.
            #expect(apple.pushes.map(\.expiration) == ["4000000000", "4000000000"])
        }
    }

    @Test func aStrictCampaignRefusesAPayloadThatNoDeviceUnderstands() async throws {
        let records = try devices(3)
        try await withSimulatedAPNs(connecting: "sale", timeLimit: nil) { apple, runtime in
            var configuration = Campaign.Configuration()
            configuration.isStrict = true
            let content = Campaign.Content.json(#"{"aps":{"alert":"x","baddge":1}}"#)
            let error = try await refusal(
                Campaign(
                    records: records, content: content, over: try runtime.connection(named: "sale"),
                    configuration: configuration))
            #expect(error?.code == .configuration && error?.description.contains("baddge") == true)
            #expect(apple.pushes.isEmpty)
        }
    }

    @Test func whatIsStoppedBeforeItPushesEndsWithoutAnErrorAndMakesNoFile() async throws {
        let records = try devices(3)
        var configuration = Campaign.Configuration()
        configuration.outcomes = path("outcomes.csv")
        try await withSimulatedAPNs(connecting: "sale", timeLimit: nil) { [configuration] apple, runtime in
            let campaign = Campaign(
                records: records, content: Self.hello, over: try runtime.connection(named: "sale"),
                configuration: configuration)
            campaign.stop(within: .zero)
            #expect(try await rows(campaign).isEmpty)
            #expect(apple.pushes.isEmpty && !FileManager.default.fileExists(atPath: path("outcomes.csv")))
        }
    }

    @Test func aCampaignThatIsOverKeepsNoFileOpen() async throws {
        let records = try devices(300)
        var configuration = Campaign.Configuration()
        (configuration.outcomes, configuration.journal) = (path("outcomes.csv"), path("sale.journal"))
        try await withSimulatedAPNs(connecting: "sale", timeLimit: nil) { [configuration] apple, runtime in
            let campaign = Campaign(
                records: records, content: Self.hello, over: try runtime.connection(named: "sale"),
                configuration: configuration)
            #expect(try await rows(campaign).count == 300)
            await until { self.openFiles.isEmpty }
            #expect(campaign.progress.records == 300 && campaign.progress.underWay == 0)
        }
    }

    /// The files of this test's folder that this process has open.
    private var openFiles: [String] {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        let targets = descriptors.compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        let name = folder.split(separator: "/").last.map(String.init) ?? folder
        return targets.filter { $0.contains(name) }
    }
}
