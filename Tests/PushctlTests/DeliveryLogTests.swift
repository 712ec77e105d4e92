import SupervisedPush
import Testing

@testable import pushctl

@Suite struct DeliveryLogTests {
    @Test(
        arguments: [
            (200, "u", ["--environment", "development"], true), (200, "u", ["--environment", "sandbox"], true),
            (200, "u", ["--environment", "development", "--host", "api.sandbox.push.apple.com"], true),
            (200, "u", ["--environment", "development", "--host", "127.0.0.1"], false),
            (200, nil, ["--environment", "development"], false), (200, "u", [], false),
            (400, "u", ["--environment", "development"], false),
        ] as [(Int, String?, [String], Bool)])
    func applesConsoleIsNamedForWhatItKnows(
        status: Int, uniqueID: String?, flags: [String], isNamed: Bool
    ) throws {
        var headers = ResponseHeaders()
        if let uniqueID { headers.append(name: "apns-unique-id", value: uniqueID) }
        let connection = try ConnectionOptions.parsed(["--certificate", "c"] + flags)
        let line = DeliveryLog.line(of: PushResponse(status: status, headers: headers), connection)
        #expect((line != nil) == isNamed)
        #expect(line.map { $0.contains("Console") && $0.contains("seven days") } ?? true)
    }
}
