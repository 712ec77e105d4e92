import Glibc
import Testing

@testable import PushTransport

@Suite struct AddressRaceTests {
    private static func race(_ literals: [String]) -> AddressRace {
        AddressRace(literals.compactMap { SocketAddress(literal: $0, port: 443) })
    }

    private static func race(of count: Int) -> AddressRace { race((1...count).map { "192.0.2.\($0)" }) }

    @Test("parity: F17 – the families take turns, beginning with the one the resolver prefers")
    func theFamiliesTakeTurns() {
        let race = Self.race(["2001:db8::1", "2001:db8::2", "2001:db8::3", "192.0.2.1", "192.0.2.2"])
        #expect(
            race.addresses.map(\.description) == [
                "2001:db8::1", "192.0.2.1", "2001:db8::2", "192.0.2.2", "2001:db8::3",
            ])
        #expect(
            Self.race(["192.0.2.1", "192.0.2.2", "2001:db8::1"]).addresses.map(\.description)
                == ["192.0.2.1", "2001:db8::1", "192.0.2.2"])
    }

    @Test("parity: F17 – the next address is tried 250 ms after the last")
    func theNextIsTriedAfterAQuarterOfASecond() {
        var race = Self.race(of: 3)
        #expect(race.handle(.start, .zero) == [.connect(0), .wake(at: .milliseconds(250))])
        #expect(race.handle(.tick, .milliseconds(249)) == [.wake(at: .milliseconds(250))])
        #expect(race.handle(.tick, .milliseconds(250)) == [.connect(1), .wake(at: .milliseconds(500))])
        #expect(race.handle(.tick, .milliseconds(500)) == [.connect(2)])
        #expect(race.handle(.tick, .milliseconds(750)) == [])
    }

    @Test("parity: F17 – the next address is tried at once where the last failed")
    func aFailureBringsTheNextAtOnce() {
        var race = Self.race(of: 3)
        _ = race.handle(.start, .zero)
        #expect(
            race.handle(.failed(0, ECONNREFUSED), .milliseconds(10)) == [.connect(1), .wake(at: .milliseconds(260))])
        #expect(race.handle(.failed(1, ENETUNREACH), .milliseconds(10)) == [.connect(2)])
        #expect(race.handle(.failed(2, ETIMEDOUT), .seconds(5)) == [.lost])
        #expect(race.failures.map(\.number) == [ECONNREFUSED, ENETUNREACH, ETIMEDOUT])
        #expect(race.handle(.tick, .seconds(6)) == [])
    }

    @Test("parity: F17 – the first connected wins and the others are closed")
    func theFirstConnectedWins() {
        var race = Self.race(of: 4)
        _ = race.handle(.start, .zero)
        _ = race.handle(.tick, .milliseconds(250))
        _ = race.handle(.tick, .milliseconds(500))
        #expect(race.handle(.connected(1), .milliseconds(600)) == [.won(1), .close(0), .close(2)])
        // A second one, at the same moment, comes too late.
        #expect(race.handle(.connected(0), .milliseconds(600)) == [])
        #expect(race.handle(.failed(2, ECONNRESET), .milliseconds(600)) == [])
        #expect(race.handle(.tick, .seconds(1)) == [])
    }

    @Test func oneAddressNeedsNoTimer() {
        var race = Self.race(of: 1)
        #expect(race.handle(.start, .zero) == [.connect(0)])
        #expect(race.handle(.failed(0, ECONNREFUSED), .seconds(1)) == [.lost])
    }

    @Test func noAddressIsLostAtOnce() {
        var race = AddressRace([])
        #expect(race.handle(.start, .zero) == [.lost])
    }

    @Test func fourAreUnderWayAtMostAndTheOldestGivesWay() {
        var race = Self.race(of: 6)
        var now = Duration.zero
        _ = race.handle(.start, now)
        for _ in 0..<3 {
            now += .milliseconds(250)
            _ = race.handle(.tick, now)
        }
        #expect(race.handle(.tick, .seconds(1)) == [.wake(at: .seconds(2))])
        #expect(race.handle(.tick, .seconds(2)) == [.close(0), .connect(4), .wake(at: .milliseconds(2_250))])
        #expect(race.failures == [AddressRace.Failure(index: 0, number: ETIMEDOUT)])
        // The one that gave way may have been connected at that moment: it is late.
        #expect(race.handle(.connected(0), .seconds(2)) == [])
        #expect(race.handle(.tick, .milliseconds(2_250)) == [.close(1), .connect(5)])
        #expect(race.handle(.connected(5), .milliseconds(2_300)) == [.won(5), .close(2), .close(3), .close(4)])
    }

    @Test func ofSixtyFourAddressesThatDropEverythingSixteenAreTriedWithinSevenSeconds() {
        var race = Self.race(of: 64)
        var tried = 0
        var open = 0
        var most = 0
        var wake: Duration? = .zero
        while let now = wake {
            wake = nil
            for action in race.handle(tried == 0 ? .start : .tick, now) {
                switch action {
                case .connect: (tried, open) = (tried + 1, open + 1)
                case .close: open -= 1
                case .wake(let instant): wake = instant
                case .won, .lost: Issue.record("nobody answered")
                }
                most = max(most, open)
            }
            #expect(now < .seconds(7))
        }
        #expect(tried == 16 && most == 4)
    }

    @Test func theErrorIsThatOfThePreferredAddressEvenIfAnotherFailedBeforeIt() {
        var race = Self.race(["192.0.2.1", "2001:db8::1"])
        _ = race.handle(.start, .zero)
        _ = race.handle(.tick, .milliseconds(250))
        _ = race.handle(.failed(1, ENETUNREACH), .milliseconds(250))
        #expect(race.handle(.failed(0, ECONNREFUSED), .milliseconds(300)) == [.lost])
        let error = ConnectFailure(Endpoint(host: "push.example", port: 443), after: race).error
        #expect(error.code == .system(ECONNREFUSED))
    }

    @Test func theErrorNamesFourAddressesAndHowManyMore() {
        var race = Self.race(["192.0.2.1", "2001:db8::1", "192.0.2.3", "192.0.2.4", "192.0.2.5", "192.0.2.6"])
        _ = race.handle(.start, .zero)
        for index in 0..<6 { _ = race.handle(.failed(index, index == 0 ? ECONNREFUSED : ENETUNREACH), .zero) }
        let error = ConnectFailure(Endpoint(host: "push.example", port: 443), after: race).error
        #expect(error.layer == .connect && error.code == .system(ECONNREFUSED))
        #expect(
            error.sentence
                == "No connection to push.example:443: 192.0.2.1: Connection refused, "
                + "2001:db8::1: Network is unreachable, 192.0.2.3: Network is unreachable, "
                + "192.0.2.4: Network is unreachable, and 2 more. "
                + "Check the host and the port, and that the server runs.")
    }
}
