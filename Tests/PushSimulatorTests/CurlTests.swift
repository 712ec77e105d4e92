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
        apns.devices.set(.unregistered(since: Date(timeIntervalSince1970: 1_750_000_000)), for: "deadbeef")
        let port = try apns.start()
        let files = try apns.credentials.write(to: directory.path)
        let token = try apns.credentials.providerToken()
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
                #"{"reason":"Unregistered","timestamp":1750000000000}"#, "410 2",
            ])
        let certificate = ["--cert", files.providerCertificate, "--key", files.providerKey]
        #expect(try push(device, certificate) == ["", "200 2"])
        #expect(apns.ledger.count(deviceToken: device).accepted == 2)
        #expect(apns.ledger.snapshot.handshakes == 4)
    }

    /// A channel's life, seen by a client that knows neither our code nor our idea of the headers.
    @Test(
        "parity: F11 – curl manages channels and broadcasts",
        .enabled(if: hasHTTP2, "curl with HTTP/2 is not installed"))
    func curlManagesChannelsAndBroadcasts() throws {
        let directory = try TemporaryDirectory()
        let apns = try SimulatedAPNs()
        let port = try apns.start()
        let management = try #require(apns.managementPort)
        let files = try apns.credentials.write(to: directory.path)
        let token = try apns.credentials.providerToken()
        let id = "123e4567-e89b-12d3-a456-426614174000"
        /// Status, headers and body.
        func ask(_ method: String, _ port: Int, _ path: String, _ options: [String] = []) throws -> [String] {
            let answer = try Self.run(
                [
                    "--silent", "--http2", "--max-time", "20", "--noproxy", "*", "--cacert", files.authority,
                    "--include", "--request", method, "--header", "authorization: bearer \(token)", "--header",
                    "apns-request-id: \(id)",
                ] + options + ["https://localhost:\(port)\(path)"])
            return answer.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let channels = "/1/apps/com.example.app/channels"
        let created = try ask(
            "POST", management, channels, ["--data", #"{"message-storage-policy":0,"push-type":"LiveActivity"}"#])
        let channel = try #require(apns.channels.channels(of: "com.example.app").first?.id)
        #expect(created == ["HTTP/2 201", "apns-request-id: \(id)", "apns-channel-id: \(channel)"])
        let named = ["--header", "apns-channel-id: \(channel)"]
        let json = "content-type: application/json"
        let read = #"{"message-storage-policy":0,"push-type":"LiveActivity"}"#
        #expect(try ask("GET", management, channels, named) == ["HTTP/2 200", "apns-request-id: \(id)", json, read])
        #expect(
            try ask("GET", management, "/1/apps/com.example.app/all-channels")
                == ["HTTP/2 200", "apns-request-id: \(id)", json, #"{"channels":["\#(channel)"]}"#])
        let push =
            named + [
                "--header", "apns-push-type: Liveactivity", "--header", "apns-priority: 5", "--header",
                "apns-expiration: 0", "--data", #"{"aps":{"event":"update","timestamp":1,"content-state":{}}}"#,
            ]
        let broadcasts = "/4/broadcasts/apps/com.example.app"
        #expect(try ask("POST", port, broadcasts, push) == ["HTTP/2 200", "apns-request-id: \(id)"])
        #expect(
            try ask("POST", management, broadcasts, push)
                == ["HTTP/2 404", "apns-request-id: \(id)", json, #"{"reason":"BadPath"}"#])
        #expect(try ask("DELETE", management, channels, named) == ["HTTP/2 204", "apns-request-id: \(id)"])
        #expect(
            try ask("POST", port, broadcasts, push)
                == ["HTTP/2 400", "apns-request-id: \(id)", json, #"{"reason":"ChannelNotRegistered"}"#])
        #expect(
            try ask("PATCH", management, channels, named)
                == ["HTTP/2 405", "apns-request-id: \(id)", json, #"{"reason":"MethodNotAllowed"}"#])
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
