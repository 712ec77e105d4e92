import Foundation
import PushQueue
import Testing

@testable import PushQueueRedis

@Suite struct RedisConfigurationTests {
    @Test func theSmallestURLHasTheDefaults() throws {
        let address = try RedisServerAddress(url: "redis://redis.example")
        #expect(address == RedisServerAddress(host: "redis.example"))
        #expect(address.port == 6_379 && address.database == 0 && !address.usesTLS)
    }

    @Test func aWholeURLIsParsed() throws {
        let address = try RedisServerAddress(url: "rediss://al%40ice:p%3Aw%2F%25@redis.example:6380/3")
        #expect(
            address
                == RedisServerAddress(
                    host: "redis.example", port: 6_380, database: 3, usesTLS: true, user: "al@ice",
                    password: .text("p:w/%")))
    }

    @Test func aPasswordNeedsNoUser() throws {
        let address = try RedisServerAddress(url: "redis://:secret@[::1]:7000/")
        #expect(address == RedisServerAddress(host: "::1", port: 7_000, password: .text("secret")))
        #expect(address.description == "redis://[::1]:7000")
    }

    @Test func aPasswordMayBeInAFile() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        let address = try RedisServerAddress(url: "redis://alice@redis.example", passwordFile: file.path)
        #expect(address.user == "alice")
        #expect(throws: RedisFailure.self) { try address.password?.load() }
        try Data("hunter2\r\n".utf8).write(to: file)
        #expect(try address.password?.load() == Array("hunter2".utf8))
        // The first line, as for every other password.
        try Data("hunter2\na note\n".utf8).write(to: file)
        #expect(try address.password?.load() == Array("hunter2".utf8))
        try Data("\u{FEFF}hunter2\n".utf8).write(to: file)
        #expect(try address.password?.load() == Array("hunter2".utf8))
        try #require("hunter2\n".data(using: .utf16)).write(to: file)
        let error = #expect(throws: RedisFailure.self) { try address.password?.load() }
        #expect("\(error as Any)".contains("is UTF-16") && !"\(error as Any)".contains("hunter2"))
        try Data("\n".utf8).write(to: file)
        #expect(throws: RedisFailure.self) { try address.password?.load() }
        try Data(count: 100_000).write(to: file)
        #expect(throws: RedisFailure.self) { try address.password?.load() }
    }

    @Test(arguments: [
        "", "secret", "http://:secret@host", "redis://", "redis://:secret@", "redis://:secret@host:0",
        "redis://:secret@host:65536", "redis://:secret@host:x", "redis://:secret@host/x", "redis://:secret@host/-1",
        "redis://:secret@host?db=1", "redis://:se%zzcret@host", "redis://secret@host", "redis://:secret@[::1",
        "redis://:secret@[::1]x", "redis://:secret@a:b:c", "redis://:sec/ret@host", "redis://:secret#@host",
    ])
    func aWrongURLIsRefusedWithoutShowingIt(url: String) {
        let error = #expect(throws: QueueError.self) { try RedisServerAddress(url: url) }
        #expect(error?.code == .failed)
        #expect(error?.description.contains("secret") == false)
        #expect(error?.description.contains("ret@") == false)
    }

    @Test func whatIsWrongWithAPercentSignIsSaid() {
        for (text, fault) in [("%4", "hexadecimal digits"), ("%zz", "hexadecimal digits"), ("%ff", "not UTF-8")] {
            let error = #expect(throws: QueueError.self) { try RedisServerAddress(url: "redis://:\(text)@host") }
            #expect(error?.description.contains(fault) == true)
        }
    }

    @Test func aPasswordIsGivenOnce() {
        let error = #expect(throws: QueueError.self) {
            try RedisServerAddress(url: "redis://:secret@host", passwordFile: "/file")
        }
        #expect(error?.description.contains("secret") == false)
    }

    @Test func noDescriptionShowsThePassword() throws {
        let configuration = try RedisConnection.Configuration(url: "redis://alice:secret@redis.example:6380/2")
        #expect(configuration.description == "redis://redis.example:6380/2")
        var dumped = ""
        dump(configuration, to: &dumped)
        dump(configuration.address, to: &dumped)
        let shown = ["\(configuration)", "\(configuration.address)", String(reflecting: configuration), dumped]
        for text in shown { #expect(!text.contains("secret")) }
    }

    @Test func valuesOutOfRangeAreNamed() {
        let changes: [(String, (inout RedisConnection.Configuration) -> Void)] = [
            ("connectLimit", { $0.connectLimit = .zero }), ("timeLimit", { $0.timeLimit = .seconds(-1) }),
            ("pingInterval", { $0.pingInterval = .zero }),
            ("commandLimit", { $0.commandLimit = 0 }), ("byteLimit", { $0.byteLimit = -1 }),
            ("clientName", { $0.clientName = "a b" }), ("database", { $0.address.database = -1 }),
        ]
        for (name, change) in changes {
            var configuration = RedisConnection.Configuration(RedisServerAddress(host: "localhost"))
            change(&configuration)
            let error = #expect(throws: QueueError.self) { try RedisConnection(configuration) }
            #expect(error?.code == .failed && error?.description.contains(name) == true)
        }
    }

    @Test func aMissingFileOfTLSIsNamed() throws {
        var configuration = try RedisConnection.Configuration(url: "rediss://localhost")
        configuration.tls.rootsFile = "/nowhere/ca.pem"
        let error = #expect(throws: QueueError.self) { try RedisConnection(configuration) }
        #expect(error?.description.contains("/nowhere/ca.pem") == true)
    }
}
