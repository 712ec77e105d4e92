import ProcessRuntime
import PushLocking
import PushSimulator
import PushTransport
import Testing

@testable import SupervisedPush

/// Which credential is in use, and how an offer ends: decided without a connection, a file or a thread.
@Suite("parity: F12 – one credential in use, one on offer, and each caller told once")
struct CredentialInUseTests {
    /// Credentials A, B, C …, which differ, and what is decided about them, as lines.
    private final class Desk {
        private let credentials: [String: ResolvedCredential]
        private let told = Locked<[String]>([])
        var inUse: CredentialInUse

        init() throws {
            let keys = try ThrowAwayCredentials()
            let reader = CredentialReader(time: ManualTime())
            var credentials: [String: ResolvedCredential] = [:]
            for name in ["A", "B", "C", "D"] {
                credentials[name] = try reader.resolve(
                    PushConnection.Configuration(
                        credential: .token(
                            key: .pem(keys.signingKeyPEM), keyID: keys.keyID, teamID: "\(name)EAM100000")))
            }
            self.credentials = credentials
            let first = try #require(credentials["A"])
            inUse = CredentialInUse(first, from: Self.source("A"))
        }

        static func source(_ name: String) -> CredentialSource {
            CredentialSource(
                credential: .token(key: .pem(""), keyID: "ABC123DEFG", teamID: "\(name)EAM100000"), trust: .system)
        }

        func name(_ credential: ResolvedCredential) -> String {
            credentials.first { $0.value.isSame(as: credential) }?.key ?? "?"
        }

        var current: String { name(inUse.current) }
        func next(_ seat: Int = 0) -> String { name(inUse.next(at: seat)) }
        var source: String { inUse.source.credential.description }

        private func decide<Answer>(
            _ body: (inout CredentialInUse, inout [CredentialInUse.Action]) -> Answer
        ) -> (Answer, [String]) {
            var actions: [CredentialInUse.Action] = []
            let answer = body(&inUse, &actions)
            for action in actions {
                switch action {
                case .answer(let caller, let end): caller(end)
                case .look: told.withLock { $0.append("look") }
                case .watchSource: told.withLock { $0.append("watch") }
                }
            }
            defer { told.withLock { $0 = [] } }
            return (answer, told.withLock { $0 })
        }

        /// - Returns: the offer's number, and what was decided.
        func offer(
            _ name: String, _ origin: CredentialInUse.Origin? = nil, at seat: Int = 0, isSuspended: Bool = false
        ) throws -> (number: Int?, lines: [String]) {
            let credential = try #require(credentials[name])
            return decide { [told] inUse, actions in
                inUse.offer(
                    credential, from: origin ?? .given(Self.source(name)), at: seat, isSuspended: isSuspended,
                    caller: { end in
                        if case .failed = end { return told.withLock { $0.append("\(name) failed") } }
                        told.withLock { $0.append("\(name) \(end)") }
                    }, &actions)
            }
        }

        /// As a poll reads it, or a reload by a call.
        func read(_ name: String, isPoll: Bool = false, isSuspended: Bool = false) throws -> (
            number: Int?, lines: [String]
        ) {
            try offer(name, .read(inUse.reading, isPoll: isPoll), isSuspended: isSuspended)
        }

        func accept(_ number: Int?) throws -> (CredentialInUse.Followers?, lines: [String]) {
            let number = try #require(number)
            return decide { $0.accept(number, &$1) }
        }

        func fail(_ number: Int?) throws -> (follows: Bool, lines: [String]) {
            let number = try #require(number)
            return decide { $0.decline(number, end: .failed(LinkFailure(.connect, "refused")), &$1) }
        }
    }

    @Test func anOfferIsInUseOnceItIsTaken() throws {
        let desk = try Desk()
        let (number, lines) = try desk.offer("B")
        #expect(lines == [] && desk.current == "A" && desk.next() == "B")
        #expect(try desk.accept(number).lines == ["watch", "look", "B accepted"])
        #expect(desk.current == "B" && desk.next() == "B" && desk.source.contains("BEAM100000"))
        // What came to its end is told once.
        #expect(try desk.accept(number).lines == [] && desk.fail(number).lines == [])
    }

    @Test func anOfferThatFailsLeavesWhatIsInUse() throws {
        let desk = try Desk()
        let (number, _) = try desk.offer("B")
        #expect(try desk.fail(number).lines == ["B failed"])
        #expect(desk.current == "A" && desk.next() == "A" && desk.source.contains("AEAM100000"))
    }

    @Test func aNewerOfferSupersedesAnOlderOneThatMayStillComeUpBeforeIt() throws {
        let desk = try Desk()
        let (first, _) = try desk.offer("B")
        let (second, lines) = try desk.offer("C")
        #expect(lines == ["B superseded"] && desk.next() == "C")
        // Its link came up before the connection heard of the newer one: nothing is taken that no link shows.
        #expect(try desk.accept(first).lines == ["watch", "look"])
        #expect(desk.current == "B" && desk.next() == "C")
        #expect(try desk.fail(second).lines == ["C failed"])
        #expect(desk.current == "B" && desk.source.contains("BEAM100000"))
    }

    @Test func anOlderOfferCountsNoMoreOnceTheNewerOneIsTaken() throws {
        let desk = try Desk()
        let (first, _) = try desk.offer("B")
        let (second, _) = try desk.offer("C")
        #expect(try desk.accept(second).lines == ["watch", "look", "C accepted"])
        #expect(try desk.accept(first).lines == [])
        #expect(desk.current == "C")
    }

    @Test func theSameCredentialIsOnlyTriedAgainWhileItIsRefused() throws {
        let desk = try Desk()
        let (none, lines) = try desk.offer("A")
        #expect(none == nil && lines == ["watch", "A unchanged"])
        #expect(try desk.read("A").lines == ["A unchanged"])
        let (number, nothing) = try desk.read("A", isSuspended: true)
        #expect(number != nil && nothing == [])
        #expect(try desk.accept(number).lines == ["look", "A accepted"])
        // A poll would try it every time, and outdo the probe's pauses.
        #expect(try desk.read("A", isPoll: true, isSuspended: true).lines == ["A unchanged"])
    }

    // MARK: Reading again

    @Test(arguments: ["offered", "taken", "failed", "unchanged"])
    func whatIsReadBeforeAnotherSourceIsGivenIsDropped(fate: String) throws {
        let desk = try Desk()
        let reading = desk.inUse.reading
        let (number, _) = try desk.offer(fate == "unchanged" ? "A" : "B")
        switch fate {
        case "taken": _ = try desk.accept(number)
        case "failed": _ = try desk.fail(number)
        default: break
        }
        let (none, lines) = try desk.offer("C", .read(reading, isPoll: false))
        #expect(none == nil && lines == ["C outdated"])
        #expect(
            desk.current == (fate == "taken" ? "B" : "A") && desk.next() == (fate == "offered" ? "B" : desk.current))
    }

    @Test func whatIsReadWhileAnotherSourceIsTriedIsDropped() throws {
        let desk = try Desk()
        let (number, _) = try desk.offer("B")
        let reading = desk.inUse.reading
        #expect(try desk.offer("C", .read(reading, isPoll: false)).lines == ["C outdated"])
        _ = try desk.accept(number)
        #expect(try desk.offer("C", .read(reading, isPoll: false)).lines == ["C outdated"])
        #expect(try desk.read("C").number != nil)
    }

    @Test func whatNoLinkCameUpWithIsHeldBackFromPollsEachTimeLonger() throws {
        let desk = try Desk()
        var tries: [Int] = []
        for poll in 0..<80 {
            let (number, lines) = try desk.read("B", isPoll: true)
            guard number != nil else {
                #expect(lines == ["B held"])
                continue
            }
            tries.append(poll)
            _ = try desk.fail(number)
        }
        #expect(tries == [0, 2, 5, 10, 19, 36, 69])
        // A call tries it at once, and so does a poll that brings another one.
        let (number, _) = try desk.read("B")
        _ = try desk.fail(number)
        #expect(try desk.read("C", isPoll: true).number != nil)
    }

    @Test func whatIsBackToWhatIsInUseIsHeldBackNoMore() throws {
        let desk = try Desk()
        _ = try desk.fail(desk.read("B", isPoll: true).number)
        #expect(try desk.read("B", isPoll: true).lines == ["B held"])
        #expect(try desk.read("A", isPoll: true).lines == ["A unchanged"])
        #expect(try desk.read("B", isPoll: true).number != nil)
    }

    // MARK: Pools

    @Test func onlyTheConnectionThatTriesAnOfferShowsItAndTheOthersFollow() throws {
        let desk = try Desk()
        let (number, _) = try desk.offer("B", at: 1)
        #expect(desk.next(1) == "B" && desk.next(2) == "A")
        let followers = try #require(try desk.accept(number).0)
        #expect(followers.isOther && !followers.include(1) && followers.include(2))
        #expect(desk.next(2) == "B")
    }

    @Test func aConnectionThatMissedACredentialFollowsWhenItsOwnOfferFails() throws {
        let desk = try Desk()
        let (first, _) = try desk.offer("B", at: 1)
        let (second, _) = try desk.offer("C", at: 2)
        let followers = try #require(try desk.accept(first).0)
        // It tries a newer one.
        #expect(!followers.include(2) && followers.include(3))
        let (follows, lines) = try desk.fail(second)
        #expect(follows && lines == ["C failed"] && desk.next(2) == "B")
    }

    @Test func theSameCredentialThatIsTakenAgainConcernsOnlyThoseThatAreSuspended() throws {
        let desk = try Desk()
        let (number, _) = try desk.offer("A", at: 1, isSuspended: true)
        #expect(try desk.accept(number).0?.isOther == false)
    }

    // MARK: Loaders

    @Test func whatALoaderBringsTakesThePlaceOfWhatItBroughtBefore() throws {
        let keys = try ThrowAwayCredentials()
        let reader = CredentialReader(time: ManualTime())
        func key(_ source: ByteSource, team: String) throws -> ResolvedCredential {
            try reader.resolve(
                PushConnection.Configuration(credential: .token(key: source, keyID: keys.keyID, teamID: team)))
        }
        let unloaded = try key(.loader("vault") { [] }, team: "AEAM100000")
        let loader = try #require(unloaded.loader)
        let brought = try key(.pem(keys.signingKeyPEM), team: "AEAM100000").loaded(by: loader)
        let other = try key(.pem(keys.signingKeyPEM), team: "BEAM100000")
        var inUse = CredentialInUse(other, from: Desk.source("B"))
        var actions: [CredentialInUse.Action] = []
        let number = inUse.offer(
            unloaded, from: .given(Desk.source("A")), at: 0, isSuspended: false, caller: { _ in }, &actions)
        #expect(!inUse.next(at: 0).isLoaded)
        inUse.loaded(brought, &actions)
        #expect(inUse.next(at: 0).isSame(as: brought) && inUse.current.isSame(as: other))
        _ = inUse.accept(try #require(number), &actions)
        #expect(inUse.current.isSame(as: brought) && inUse.reading.loader === loader)
    }
}
