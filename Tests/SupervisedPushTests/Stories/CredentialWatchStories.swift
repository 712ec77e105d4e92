import Foundation
import ProcessRuntime
import PushLocking
import PushSimulator
import PushTransport
import TestSupport
import Testing

@testable import SupervisedPush

/// Certificates that expire, and credential files that change under a running connection.
@Suite("parity: F12 – credentials are looked after", .timeLimit(.minutes(5)))
struct CredentialWatchStories {
    private static let day: Int64 = 86_400

    @Test func aCertificateThatExpiresIsTold() async throws {
        let stage = try Rehearsal.inMemory()
        let time = try #require(stage.time)
        let pem = Array(stage.apple.credentials.providerCertificatePEM.utf8)
        let key = Array(stage.apple.credentials.providerKeyPEM.utf8)
        let end = try Identity(certificate: pem, key: key, password: nil).certificate.notAfter
        time.setWallClock(milliseconds: (end - 31 * Self.day) * 1_000)
        let mailbox = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: stage.certificateConfig, owner: mailbox)
        // While days pass nothing is being dialled.
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(0))
        for _ in 0..<31 {
            let tomorrow = time.now.advanced(by: .seconds(Self.day))
            await time.waitUntilArmed(by: tomorrow)
            time.advance(by: .seconds(Self.day))
        }
        await stage.end()
        mailbox.close()
        var told: [Int64] = []
        for await message in mailbox {
            if case .credentialExpiring(_, "orders", let notAfter) = message { told.append(notAfter.unixSeconds) }
        }
        #expect(told == [end, end, end])
    }

    /// A connection in certificate mode that watches its two files.
    private func watching(
        _ stage: Rehearsal, _ folder: URL, _ mailbox: Mailbox<LifecycleMessage>
    ) async throws {
        try write(stage.apple.credentials, to: folder)
        let config = stage.config.with {
            $0.credential = .certificate(
                .file(folder.appending(path: "provider.pem").path),
                privateKey: .file(folder.appending(path: "provider-key.pem").path))
            $0.credentialReload = .watching(every: .seconds(30))
        }
        try stage.runtime.connect(name: "orders", config: config, owner: mailbox)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(0))
        // The files may have changed while they were read: they are read once more.
        try await looks(stage, 3)
    }

    private func write(_ credentials: ThrowAwayCredentials, to folder: URL) throws {
        try Data(credentials.providerCertificatePEM.utf8).write(to: folder.appending(path: "provider.pem"))
        try Data(credentials.providerKeyPEM.utf8).write(to: folder.appending(path: "provider-key.pem"))
    }

    private func looks(_ stage: Rehearsal, _ count: Int) async throws {
        let time = try #require(stage.time)
        for _ in 0..<count {
            await time.waitUntilArmed(by: time.now.advanced(by: .seconds(30)))
            time.advance(by: .seconds(30))
        }
        await time.waitUntilArmed(by: time.now.advanced(by: .seconds(30)))
    }

    /// Lets it look until it tells something. Nobody looks while files are read, which takes as long as the machine likes.
    private func looks(
        _ stage: Rehearsal, _ mailbox: Mailbox<LifecycleMessage>, until isTold: (LifecycleMessage) -> Bool
    ) async throws {
        while true {
            try await looks(stage, 1)
            // Time that passes while a new link is dialled could end the attempt; then the next one serves as well.
            while let message = await mailbox.receive(timeout: .milliseconds(200)) {
                if isTold(message) { return }
            }
        }
    }

    private static func isRenewed(_ message: LifecycleMessage) -> Bool {
        if case .connectionUp(_, _, 2...) = message { true } else { false }
    }

    @Test func filesThatChangeAreReadAndTakenWhilePushesFlow() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let stage = try Rehearsal.inMemory()
        let mailbox = Mailbox<LifecycleMessage>()
        try await watching(stage, folder, mailbox)
        #expect(stage.apple.ledger.snapshot.connections == 1)

        try write(stage.apple.credentials.renewed(), to: folder)
        try await looks(stage, mailbox, until: Self.isRenewed)
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(1)).isAccepted)
        #expect(stage.apple.ledger.snapshot.connections >= 2)
        await stage.end()
    }

    @Test func filesThatBecomePipesAreToldAndStopNothing() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let stage = try Rehearsal.inMemory()
        let mailbox = Mailbox<LifecycleMessage>()
        try await watching(stage, folder, mailbox)
        // Nobody writes to them: who opens one waits.
        for name in ["provider.pem", "provider-key.pem"] {
            // Never absent: a look in between would tell of that.
            let (path, pipe) = (folder.appending(path: name).path, folder.appending(path: "pipe").path)
            try #require(mkfifo(pipe, 0o600) == 0 && rename(pipe, path) == 0)
        }
        var failure: ConnectError?
        try await looks(stage, mailbox) { message in
            if case .credentialReloadFailed(_, "orders", let error) = message { failure = error }
            return failure != nil
        }
        #expect(failure?.code == .credential && failure?.description.contains("not a regular file") == true)
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(1)).isAccepted)
        // They are files again, and are looked at still.
        for name in ["provider.pem", "provider-key.pem"] {
            try FileManager.default.removeItem(at: folder.appending(path: name))
        }
        try write(stage.apple.credentials.renewed(), to: folder)
        try await looks(stage, mailbox, until: Self.isRenewed)
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(2)).isAccepted)
        await stage.end()
    }

    @Test func aCredentialThatHangsWhenItIsReadHoldsUpNoTask() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let pipe = folder.appending(path: "AuthKey_ABC123DEFG.p8").path
        try #require(mkfifo(pipe, 0o600) == 0)
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.patientConfig)
        let credential = Credential.token(key: .file(pipe), teamID: "DEF123GHIJ")
        let over = Locked(0)
        // More than Swift has threads for tasks.
        let tasks = (0..<2 * ProcessInfo.processInfo.activeProcessorCount + 1).map { _ in
            Task {
                await #expect(throws: ConnectError.self) {
                    try await stage.runtime.connection(named: "orders").replaceCredential(with: credential)
                }
                over.withLock { $0 += 1 }
            }
        }
        for number in 0..<10 {
            #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(number)).isAccepted)
        }
        #expect(over.withLock { $0 } == 0)
        // Who has opened the pipe reads its end when it is closed.
        await until {
            let writer = open(pipe, O_WRONLY | O_NONBLOCK)
            if writer >= 0 { close(writer) }
            return over.withLock { $0 } == tasks.count
        }
        await stage.end()
    }

    @Test func filesThatDoNotBelongTogetherAreToldAndChangeNothing() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let stage = try Rehearsal.inMemory()
        let mailbox = Mailbox<LifecycleMessage>()
        try await watching(stage, folder, mailbox)
        let renewed = try stage.apple.credentials.renewed()
        try Data(renewed.providerKeyPEM.utf8).write(to: folder.appending(path: "provider-key.pem"))
        var failure: ConnectError?
        try await looks(stage, mailbox) { message in
            if case .credentialReloadFailed(_, "orders", let error) = message { failure = error }
            return failure != nil
        }
        #expect(failure?.code == .credential)
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(1)).isAccepted)
        // The other half arrives.
        try write(renewed, to: folder)
        try await looks(stage, mailbox, until: Self.isRenewed)
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(2)).isAccepted)
        await stage.end()
    }
}
