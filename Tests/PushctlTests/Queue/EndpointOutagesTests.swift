import PushTerminal
import Testing

@testable import pushctl

/// An outage is one line for all queues that it concerns.
@Suite struct EndpointOutagesTests {
    private let apple = SharedEndpoint.link("api.push.apple.com:443")

    /// What is said at each of these seconds.
    private func lines(_ outages: inout EndpointOutages, at times: Double...) -> [[String]] {
        times.map { outages.lines(at: $0).map(\.text) }
    }

    @Test func manyQueuesHaveOneLine() {
        var outages = EndpointOutages()
        for attempt in 0..<3 {
            for number in 1...20 {
                let time = 10 + Double(attempt) * 0.4
                outages.lost(apple, of: "tenant\(number)", cause: "connection refused", at: time)
            }
        }
        let line = "pushctl: no link to api.push.apple.com:443 (20 queues): connection refused"
        let during = lines(&outages, at: 10.9, 11, 12, 40, 70, 71, 72)
        #expect(during == [[], [line], [], [], [], [line], []])
        for number in 1...20 { outages.back(apple, of: "tenant\(number)") }
        let after = lines(&outages, at: 73, 74, 200)
        #expect(after == [["pushctl: connected to api.push.apple.com:443 (20 queues)"], [], []])
    }

    @Test func fewQueuesAreNamed() {
        var outages = EndpointOutages()
        outages.lost(apple, of: "orders", cause: "reset", at: 0)
        outages.lost(apple, of: "news", cause: "reset", at: 0)
        outages.lost(.store("redis://h:6379/0"), of: "news", cause: "no answer", at: 0)
        let said = outages.lines(at: 2).map(\.text)
        #expect(
            said == [
                "pushctl: no link to api.push.apple.com:443 (news, orders): reset",
                "pushctl: the queue redis://h:6379/0 cannot be used (news): no answer",
            ])
    }

    @Test func whatIsBackBeforeALineIsSaidIsNoNews() {
        var outages = EndpointOutages()
        outages.lost(apple, of: "orders", cause: "reset", at: 0)
        outages.back(apple, of: "orders")
        let said = lines(&outages, at: 5, 100)
        #expect(said == [[], []])
    }

    @Test func theLossOfOneLinkOfAPoolIsLessThanAnOutage() {
        var outages = EndpointOutages()
        outages.lost(apple, of: "orders", cause: "reset", left: 2, at: 0)
        let partial = outages.lines(at: 1).map(\.text)
        #expect(partial == ["pushctl: a link to api.push.apple.com:443 is gone (orders): reset"])
        // Then all links.
        outages.lost(apple, of: "orders", cause: "refused", left: 0, at: 3)
        outages.lost(apple, of: "news", cause: "refused", left: 1, at: 3)
        let whole = outages.lines(at: 4).map(\.text)
        #expect(whole == ["pushctl: no link to api.push.apple.com:443 (orders): refused"])
        outages.back(apple, of: "orders")
        let end = outages.lines(at: 5).map(\.text)
        #expect(end == ["pushctl: connected to api.push.apple.com:443 (orders)"])
    }

    @Test func whatBecomesWorseIsToldAgain() {
        var outages = EndpointOutages()
        let store = SharedEndpoint.store("q.db")
        outages.lost(store, of: "orders", cause: "no answer", at: 0)
        let first = outages.lines(at: 1).map(\.text)
        #expect(first.count == 1 && outages.concerns("orders", store) && !outages.concerns("news", store))
        outages.lost(store, of: "orders", cause: "nothing is pushed", isWorse: true, at: 10)
        let second = outages.lines(at: 11).map(\.text)
        #expect(second == ["pushctl: the queue q.db cannot be used (orders): nothing is pushed"])
    }

    @Test func aLineNamesItsQueue() {
        #expect(LogLine("pushctl: warning: x").of("orders").text == "pushctl: orders: warning: x")
        #expect(LogLine("else").of("orders").text == "else")
    }
}
