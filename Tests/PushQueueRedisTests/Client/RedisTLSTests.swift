import PushQueue
import QueueTestSupport
import Testing

@testable import PushQueueRedis

@Suite struct RedisTLSTests {
    @Test func aServerWithATrustedCertificateIsReached() async throws {
        let server = try RedisServer(.init(tls: .serverOnly))
        let stage = try RedisStage(server.url) { $0.tls.rootsFile = server.authorityFile }
        #expect(try await stage.run("PING") == .status("PONG"))
        try server.restart()
        #expect(await stage.nextSession()?.number == 1)
        #expect(await stage.nextSession()?.isAnotherServer == true)
        #expect(try await stage.run("PING") == .status("PONG"))
    }

    @Test func aClientCertificateIsShown() async throws {
        let server = try RedisServer(.init(tls: .withClientCertificates))
        let stage = try RedisStage(server.url) {
            $0.tls = RedisTLS(rootsFile: server.authorityFile, certificateFile: server.clientFile)
        }
        #expect(try await stage.run("PING") == .status("PONG"))
    }

    @Test func aMissingClientCertificateIsNamed() async throws {
        let server = try RedisServer(.init(tls: .withClientCertificates))
        let stage = try RedisStage(server.url) { $0.tls.rootsFile = server.authorityFile }
        let error = await stage.failure("PING")
        #expect(error?.code == .refused)
        #expect(error?.description.contains("certificate") == true)
    }

    @Test func anUntrustedServerIsRefused() async throws {
        let server = try RedisServer(.init(tls: .serverOnly))
        let error = await (try RedisStage(server.url)).failure("PING")
        #expect(error?.code == .refused)
        #expect(error?.description.contains("add the issuer's certificate") == true)
    }

    @Test func aCertificateForAnotherHostIsRefused() async throws {
        let server = try RedisServer(.init(tls: .serverOnly, more: ["--bind", "127.0.0.2"]))
        let stage = try RedisStage("rediss://127.0.0.2:\(server.port)") { $0.tls.rootsFile = server.authorityFile }
        let error = await stage.failure("PING")
        #expect(error?.code == .refused)
        #expect(error?.description.contains("Check the host") == true)
    }

    @Test func aServerWithoutTLSIsToldApart() async throws {
        let server = try RedisServer()
        let stage = try RedisStage("rediss://127.0.0.1:\(server.port)") {
            $0.timeLimit = .seconds(2)
            $0.connectLimit = .milliseconds(500)
        }
        let error = await stage.failure("PING")
        #expect(error?.code == .unreachable)
        #expect(error?.description.contains("redis") == true && error?.description.contains("TLS") == true)
    }

    @Test func aServerWithTLSIsToldApart() async throws {
        let server = try RedisServer(.init(tls: .serverOnly))
        let stage = try RedisStage("redis://127.0.0.1:\(server.port)") {
            $0.timeLimit = .seconds(2)
            $0.connectLimit = .milliseconds(500)
        }
        let error = await stage.failure("PING")
        #expect(error?.code == .unreachable)
        #expect(error?.description.contains("rediss") == true)
    }
}
