/// What the latest links served before their peer ended them by GOAWAY, as a server does that allows few requests on each
/// connection (nginx: `keepalive_requests`).
///
/// What is written beyond that comes back unprocessed. So after two such links, the next one is offered no more than they
/// took, until it shows that it takes more.
struct ServedShares {
    private var inARow = 0
    private var most = 0

    /// The peer ended a link.
    ///
    /// - Parameters:
    ///   - served: How many of its streams the peer took.
    ///   - few: A link that took this many or more was not ended early.
    mutating func linkEnded(served: Int, few: Int) {
        guard served < few else { return self = ServedShares() }
        // One that took nothing says nothing about the others.
        guard served > 0 else { return }
        inARow += 1
        most = max(most, served)
    }

    /// What the next link is offered; nil: as much as its limit allows.
    var offer: LinkOffer? { inARow >= 2 ? LinkOffer(streams: most) : nil }
}

/// How many streams a link may open. The first push without an answer lifts the limit: a peer that is slow is not one that
/// ends its connections.
struct LinkOffer {
    /// How many it may open now.
    private(set) var left: Int
    /// How many it was allowed in total.
    private var total: Int
    /// How many more it is offered next.
    private var step = 1
    private let isFirstFlight: Bool

    /// As many as the links before it took.
    init(streams: Int) {
        left = streams
        total = streams
        isFirstFlight = false
    }

    /// What a link may have open before its first answer. Each answer lets it open one more at a time, so it doubles with
    /// each round trip, as TCP's window does (RFC 5681, section 3.1). A peer that ends its connections after few
    /// requests then has little to refuse.
    init(firstFlight streams: Int) {
        left = streams
        total = streams
        isFirstFlight = true
    }

    mutating func opened() { left -= 1 }

    /// A stream ended. A link that has settled three quarters of what its forerunners took, and was not ended, is offered
    /// more: 1 stream, 2, 4 …
    mutating func streamEnded(open: Int) {
        if isFirstFlight {
            left += 2
            return
        }
        guard left <= 0, open * 4 <= total else { return }
        left = step
        total += step
        step = min(step * 2, 1 << 20)
    }
}
