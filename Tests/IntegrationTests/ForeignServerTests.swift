import Dispatch
import Foundation
import PushSimulator
import PushTransport
import SupervisedPush
import TestSupport
import Testing

/// A server of other code above TLS: `openssl s_server` does TLS, with the library that the client uses, too, and the frames
/// are written here by hand.
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: ForeignServer.isAvailable)) struct ForeignServerTests {
    @Test func framesWrittenByHandAnswerAPush() async throws {
        let server = try ForeignServer()
        let runtime = PushRuntime(.init(logger: nil))
        try runtime.connect(name: "foreign", config: server.config)
        async let answer = runtime.push(name: "foreign", Samples.flight, to: Samples.token())
        // SETTINGS (RFC 9113 section 6.5) without parameters: the peer states no limit.
        server.write([0, 0, 0, 4, 0, 0, 0, 0, 0])
        try await server.readRequest()
        // HEADERS on stream 1 with END_HEADERS and END_STREAM: `:status: 200` is entry 8 of the static table.
        server.write([0, 0, 1, 1, 5, 0, 0, 0, 1, 0x88])
        let response = try await answer
        #expect(response.status == 200 && response.isComplete && response.apnsID == nil)
        server.end()
        await runtime.shutdown(within: .zero)
    }

    @Test func aGoAwayWrittenByHandIsReadWithItsReason() async throws {
        let server = try ForeignServer()
        let runtime = PushRuntime(.init(logger: nil))
        let mailbox = Mailbox<LifecycleMessage>()
        try runtime.connect(name: "foreign", config: server.config, owner: mailbox)
        server.write([0, 0, 0, 4, 0, 0, 0, 0, 0])
        _ = await mailbox.receive { if case .connectionUp = $0 { true } else { false } }
        let json = Array(#"{"reason":"Shutdown"}"#.utf8)
        server.write([0, 0, UInt8(8 + json.count), 7, 0, 0, 0, 0, 0] + [0, 0, 0, 0] + [0, 0, 0, 0] + json)
        let message = await mailbox.receive { if case .draining = $0 { true } else { false } }
        guard case .draining(_, _, 1, let reason)? = message else { Issue.record("\(message)"); return }
        #expect(reason == "Shutdown")
        server.end()
        await runtime.shutdown(within: .zero)
    }

    @Test func bytesThatAreNoFramesEndInAReconnect() async throws {
        let server = try ForeignServer()
        let runtime = PushRuntime(.init(logger: nil))
        let mailbox = Mailbox<LifecycleMessage>()
        try runtime.connect(name: "foreign", config: server.config, owner: mailbox)
        server.write(Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".utf8))
        // Attempts before the server listened fail in another layer.
        let message = await mailbox.receive { message in
            if case .reconnecting(_, _, _, _, let cause) = message { cause.layer == .http2 } else { false }
        }
        #expect(message != nil)
        server.end()
        await runtime.shutdown(within: .zero)
    }
}

/// `openssl s_server` on a free port, its standard input and output joined to the test.
private final class ForeignServer {
    static let isAvailable = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    let config: PushConnection.Configuration
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let folder: URL

    init() throws {
        let credentials = try ThrowAwayCredentials()
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let certificate = folder.appendingPathComponent("server.pem")
        let text = credentials.serverCertificatePEM + credentials.serverKeyPEM
        try text.write(to: certificate, atomically: true, encoding: .utf8)

        let port = try Self.freePort()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        // Quiet, so that standard input goes to the client as it is, and nothing but its bytes comes out.
        process.arguments = [
            "s_server", "-quiet", "-accept", "127.0.0.1:\(port)", "-alpn", "h2", "-cert", certificate.path,
        ]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        config = PushConnection.Configuration(
            host: "localhost", port: port,
            credential: .token(
                key: .pem(credentials.signingKeyPEM), keyID: credentials.keyID, teamID: credentials.teamID),
            trust: .pem(credentials.authorityPEM), defaults: .init(topic: Topic(credentials.topic))
        ).with {
            $0.timeout = .seconds(60)
            $0.liveness = .never  // Nobody here answers a PING.
        }
    }

    func write(_ bytes: [UInt8]) { try? input.fileHandleForWriting.write(contentsOf: Data(bytes)) }

    /// Returns once the payload of the request, the end of the push, was seen.
    func readRequest() async throws {
        let end = Samples.flight.payload.bytes
        let handle = output.fileHandleForReading
        let _: Void = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var seen = Data()
                while seen.range(of: Data(end)) == nil {
                    let more = handle.availableData
                    if more.isEmpty { break }
                    seen += more
                }
                continuation.resume()
            }
        }
    }

    /// A port that nobody has. The connection dials again until the server listens on it.
    ///
    /// Below those that the kernel gives to other tests meanwhile.
    private static func freePort() throws -> Int {
        while true {
            let endpoint = Endpoint(host: "127.0.0.1", port: .random(in: 20_000..<32_000))
            do {
                try SocketListener(on: endpoint).close()
                return endpoint.port
            } catch { guard error.code == .system(EADDRINUSE) else { throw error } }
        }
    }

    func end() {
        // Not SIGTERM: the runner's threads may block it, and a child inherits that.
        kill(process.processIdentifier, SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }
}
