import Foundation
import PushSimulator
import Testing

/// `curl` shares neither our HTTP/2 code nor our TLS code, only the libraries below them.
@Suite(.timeLimit(.minutes(5))) struct CurlTests {
    static let hasHTTP2: Bool = {
        guard let version = try? run(["--version"]) else { return false }
        return version.contains("HTTP2")
    }()

    @Test(.enabled(if: hasHTTP2, "curl with HTTP/2 is not installed"))
    func curlPushesOverTLSAndHTTP2() throws {
        let directory = try TemporaryDirectory()
        let apns = try SimulatedAPNs()
        let port = try apns.start()
        let files = try apns.credentials.write(to: directory.path)
        let token = try apns.credentials.providerToken(issuedAtSeconds: Int64(Date().timeIntervalSince1970))
        let device = String(repeating: "ab", count: 32)
        func push(_ device: String, _ options: [String]) throws -> [String] {
            try Self.run(
                [
                    "--silent", "--http2", "--max-time", "20", "--noproxy", "*", "--cacert", files.authority,
                    "--write-out", "\n%{http_code} %{http_version}", "--data", #"{"aps":{"alert":"hello"}}"#,
                    "--header", "apns-topic: com.example.app",
                ] + options + ["https://localhost:\(port)/3/device/\(device)"]
            ).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        }
        let bearer = ["--header", "authorization: bearer \(token)"]
        #expect(try push(device, bearer) == ["", "200 2"])
        #expect(try push(device, []) == [#"{"reason":"MissingProviderToken"}"#, "403 2"])
        #expect(
            try push("deadbeef", bearer) == [
                #"{"reason":"Unregistered","timestamp":\#(DeviceRegistry.standardTimestamp)}"#, "410 2",
            ])
        let certificate = ["--cert", files.providerCertificate, "--key", files.providerKey]
        #expect(try push(device, certificate) == ["", "200 2"])
        #expect(apns.ledger.count(deviceToken: device).accepted == 2)
        #expect(apns.ledger.snapshot.handshakes == 4)
    }

    private static func run(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["curl"] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
