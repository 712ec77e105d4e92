import ProcessRuntime
import Testing

@testable import SupervisedPush

/// When to warn, and when to read files again: decided without a clock and without a file.
@Suite("parity: F12 – warnings ahead of an expiry, and files that change")
struct CredentialWatchTests {
    private static let day: Int64 = 86_400

    private func left(_ notAfter: Int64, _ now: Int64, _ warnings: inout ExpiryWarnings) -> Int64? {
        warnings.check(notAfter, now).left
    }

    @Test func anExpiryIsToldThirtySevenAndOneDaysAheadOnceEach() {
        var warnings = ExpiryWarnings()
        let end: Int64 = 1_000 * Self.day
        var told: [Int64] = []
        var now = end - 40 * Self.day
        while now < end + Self.day {
            let (left, lookAfter) = warnings.check(end, now)
            if let left { told.append(left / Self.day) }
            guard let lookAfter else { break }
            #expect((1...Self.day).contains(lookAfter))
            now += lookAfter
        }
        #expect(told == [30, 7, 1] && now == end)
    }

    @Test func whatIsPassedAtTheStartIsToldOnce() {
        var warnings = ExpiryWarnings()
        #expect(left(5 * Self.day, 0, &warnings) == 5 * Self.day)
        #expect(left(5 * Self.day, 3_600, &warnings) == nil)
        #expect(left(5 * Self.day, 4 * Self.day, &warnings) == Self.day)
    }

    @Test func anotherCertificateIsWarnedOfAnew() {
        var warnings = ExpiryWarnings()
        #expect(left(5 * Self.day, 0, &warnings) != nil)
        #expect(left(400 * Self.day, 0, &warnings) == nil)
        #expect(left(400 * Self.day, 371 * Self.day, &warnings) == 29 * Self.day)
        // A clock set back tells nothing twice.
        #expect(left(400 * Self.day, 0, &warnings) == nil)
        #expect(left(400 * Self.day, 371 * Self.day, &warnings) == nil)
    }

    @Test func withoutACertificateNobodyLooksAgain() {
        var warnings = ExpiryWarnings()
        let (left, lookAfter) = warnings.check(nil, 0)
        #expect(left == nil && lookAfter == nil)
    }

    // MARK: Files

    /// Names of files whose identities differ.
    private let one: [FileVersion?] = [FileVersion("/")]
    private let other: [FileVersion?] = [FileVersion("/dev/null")]

    /// A watch that knows `one`.
    private func settled() -> FileWatch {
        var watch = FileWatch()
        _ = watch.check(one)
        _ = watch.check(one)
        watch.reloaded(.accepted)
        return watch
    }

    private func looks(_ files: [FileVersion?], _ watch: inout FileWatch) -> Bool { watch.check(files) }

    @Test func filesAreReadOnceTheyHaveLookedTheSameTwice() {
        var watch = settled()
        #expect(!looks(one, &watch))
        #expect(!looks(other, &watch))
        #expect(!looks([nil], &watch))
        #expect(!looks(other, &watch))
        #expect(looks(other, &watch))
        watch.reloaded(.accepted)
        #expect(!looks(other, &watch))
    }

    @Test func whatChangedBeforeTheFirstLookIsRead() {
        var watch = FileWatch()
        #expect(!looks(one, &watch))
        #expect(looks(one, &watch))
    }

    @Test func filesThatAreKnownAreReadOnlyOnceTheyChange() {
        var watch = FileWatch(known: one)
        for _ in 0..<4 { #expect(!looks(one, &watch)) }
        #expect(!looks(other, &watch))
        #expect(looks(other, &watch))
    }

    @Test func whereThereAreNoFilesNothingIsRead() {
        var watch = FileWatch(known: CredentialSource(credential: memory, trust: .system).filesRead)
        for _ in 0..<4 { #expect(!looks([], &watch)) }
    }

    @Test func filesBesideALoaderAreKnownFromTheStartAndOthersAreReadOnceMore() {
        let loader = Credential.tokens(from: "signer") { try BearerToken("token") }
        let file = TrustRoots.file("/dev/null")
        #expect(CredentialSource(credential: loader, trust: file).filesRead == other)
        #expect(CredentialSource(credential: memory, trust: file).filesRead == nil)
    }

    private let memory = Credential.token(key: .pem(""), keyID: "ABC123DEFG", teamID: "DEF123GHIJ")

    @Test func filesThatCannotBeUsedAreReadAgainOnceTheyChange() {
        var watch = settled()
        _ = watch.check(other)
        #expect(looks(other, &watch))
        watch.reloaded(.unusable)
        #expect(!looks(other, &watch))
        #expect(!looks([nil], &watch))
        #expect(looks([nil], &watch))
    }

    @Test func whatKeptThemFromBeingUsedMayPassByItself() {
        var watch = settled()
        _ = watch.check(other)
        var looks: [Int] = []
        for number in 1...100 where watch.check(other) {
            looks.append(number)
            watch.reloaded(.unusable)
        }
        #expect(looks == [1, 34, 67, 100])
    }

    @Test func whatWasToldOfFilesIsForgottenWhenTheyChange() {
        var watch = settled()
        _ = watch.check(other)
        watch.told = "damaged"
        #expect(looks(other, &watch) && watch.told == "damaged")
        // The old files come back, and then the same fault once more.
        #expect(!looks(one, &watch) && watch.told == nil)
        watch.told = "damaged"
        #expect(!looks(other, &watch) && watch.told == nil)
    }

    @Test func whereNoLinkCameUpTheyAreTriedAgainEverMoreSeldom() {
        var watch = settled()
        _ = watch.check(other)
        var looks: [Int] = []
        for number in 1...40 where watch.check(other) {
            looks.append(number)
            watch.reloaded(.failed)
        }
        #expect(looks == [1, 3, 6, 11, 20, 37])
    }

    // MARK: Polls

    private static let failure = ConnectError(.credential, "The key could not be loaded from vault: Sealed.")

    private func at(_ seconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: seconds * 1_000_000_000) }

    /// A watch that polls every 30 s, from the instant 0 on.
    private func polling() -> CredentialWatch { CredentialWatch(.every(.seconds(30)), known: nil, at(0)) }

    private func look(_ watch: inout CredentialWatch, at seconds: Int64, notAfter: Int64? = nil) -> CredentialWatch.Look
    {
        watch.check(notAfter: notAfter, current: [], at(seconds), wallClockSeconds: seconds)
    }

    @Test func pollsComeInFixedIntervalsWhateverElseIsLookedAt() {
        var watch = polling()
        #expect(look(&watch, at: 0) == .init(next: .seconds(30)))
        // Another credential was taken, for example.
        #expect(look(&watch, at: 10) == .init(next: .seconds(20)))
        #expect(look(&watch, at: 30) == .init(reloads: true, next: .seconds(30)))
        #expect(watch.reloaded(.inUse) == nil)
        // The thread was late: the next one is not.
        #expect(look(&watch, at: 65) == .init(reloads: true, next: .seconds(25)))
        #expect(watch.reloaded(.inUse) == nil)
        // It slept through several.
        #expect(look(&watch, at: 600) == .init(reloads: true, next: .seconds(30)))
    }

    @Test func nothingIsPolledWhileAPollIsUnderWay() {
        var watch = polling()
        #expect(look(&watch, at: 30).reloads)
        #expect(look(&watch, at: 60) == .init(next: .seconds(30)))
        #expect(watch.reloaded(.later) == nil)
        #expect(look(&watch, at: 90).reloads)
    }

    @Test func aPollThatFailsIsToldOnceForEachFailure() {
        var watch = polling()
        #expect(watch.reloaded(.failed(Self.failure))?.description == Self.failure.description)
        #expect(watch.reloaded(.failed(Self.failure)) == nil)
        let other = ConnectError.replacement("No link came up with it.")
        #expect(watch.reloaded(.failed(other)) != nil)
        // What no link came up with is held back, which is no success.
        #expect(watch.reloaded(.later) == nil && watch.reloaded(.failed(other)) == nil)
        #expect(watch.reloaded(.inUse) == nil)
        #expect(watch.reloaded(.failed(other)) != nil)
    }

    @Test func anExpiryIsWarnedOfBetweenPolls() {
        var watch = CredentialWatch(.every(.seconds(2 * Self.day)), known: nil, at(0))
        let end = 30 * Self.day + 3_600
        #expect(look(&watch, at: 0, notAfter: end) == .init(next: .seconds(3_600)))
        #expect(
            look(&watch, at: 3_600, notAfter: end) == .init(expiresIn: 30 * Self.day, next: .seconds(Self.day)))
    }

    @Test func aReadingThatWasDroppedIsTriedAgainAndNotTold() {
        var watch = CredentialWatch(.watching(every: .seconds(30)), known: one, at(0))
        func look(_ files: [FileVersion?]) -> Bool {
            watch.check(notAfter: nil, current: files, at(0), wallClockSeconds: 0).reloads
        }
        #expect(!look(other) && look(other))
        #expect(watch.reloaded(.later) == nil)
        #expect(!look(other) && look(other))
        #expect(watch.reloaded(.inUse) == nil)
        #expect(!look(other))
    }

    @Test func anIntervalUnderASecondIsRefusedWithTheRange() {
        let credential = memory
        for reload in [CredentialReload.every(.milliseconds(999)), .watching(every: .zero)] {
            let config = PushConnection.Configuration(credential: credential).with { $0.credentialReload = reload }
            let error = #expect(throws: ConnectError.self) { try config.validate() }
            #expect(error?.code == .configuration && error?.description.contains("at least 1 s") == true)
        }
    }
}
