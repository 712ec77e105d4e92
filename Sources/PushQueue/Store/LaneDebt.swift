/// Which lane of a queue is next: urgent entries first, with a share for the others.
///
/// Of each eight tokens that are taken while both lanes have something, one is ordinary. An entry is taken as a whole, so tokens
/// count, and not entries: the urgent lane owes a token for each seven that it had, and an ordinary entry pays with all of its
/// tokens. What it pays beyond the debt is credit, which the urgent lane uses up before it owes again. A store keeps the
/// debt with its entries, so that all workers together keep the share.
package struct LaneDebt: Sendable, Equatable {
    package enum Lane: Sendable, Hashable {
        case urgent
        case ordinary
    }

    /// For how many urgent tokens an ordinary one is taken.
    package static let urgentTokens = 7
    /// The highest debt, and the highest credit: that of the largest entry.
    package static let limit = urgentTokens * QueueEntry.tokenCounts.upperBound

    /// The urgent tokens that no ordinary one has paid for; less than 0 for a credit. Within ``limit``.
    package private(set) var tokens: Int

    /// - Parameter tokens: What is stored. Beyond ``limit`` it counts as that.
    package init(tokens: Int = 0) { self.tokens = min(max(tokens, -Self.limit), Self.limit) }

    /// Whether an ordinary entry is next, if one waits.
    private var isDue: Bool { tokens >= Self.urgentTokens }

    /// The lane of the next entry, while an urgent one waits.
    package func next(hasOrdinary: Bool) -> Lane { isDue && hasOrdinary ? .ordinary : .urgent }

    /// An urgent entry is taken that has this number of open tokens. It owes nothing while no ordinary one waits.
    package mutating func takeUrgent(_ count: Int, whileOrdinaryWaits: Bool) {
        if whileOrdinaryWaits {
            self = Self(tokens: tokens + min(count, Self.limit))
        } else if isDue {
            tokens = 0
        }
    }

    /// An ordinary entry is taken that has this number of open tokens. It gives credit only while an urgent one waits.
    package mutating func takeOrdinary(_ count: Int, whileUrgentWaits: Bool) {
        let rest = tokens - Self.urgentTokens * min(count, Self.limit)
        self = Self(tokens: whileUrgentWaits ? rest : max(rest, min(tokens, 0)))
    }

    /// An entry at the front of a lane.
    package struct Choice: Sendable, Hashable {
        package let lane: Lane
        /// Its place in the front.
        package let index: Int
    }

    /// Chooses what is taken now from the fronts of both lanes, as long as the tokens fit. The first entry is taken although it
    /// has more tokens. Nothing passes an entry that does not fit.
    ///
    /// - Parameters:
    ///   - urgent: The open tokens of the entries at the front of this lane: of as many as fit, and of the next one, if
    ///     there is one.
    ///   - ordinary: The same of the other lane.
    ///   - room: How many tokens fit.
    ///   - charge: Charges an entry that would be taken to the rate of its campaign; false if that permits no token, so that the
    ///     entry is passed. Both lanes share the rate.
    /// - Returns: The entries that are taken, in their order.
    package mutating func choose(
        urgent: [Int], ordinary: [Int], room: Int, charge: (Choice) -> Bool = { _ in true }
    ) -> [Choice] {
        var (chosen, left) = ([Choice](), room)
        var (urgent, ordinary) = (urgent[...], ordinary[...])
        while left > 0, !urgent.isEmpty || !ordinary.isEmpty {
            let lane = urgent.isEmpty ? .ordinary : next(hasOrdinary: !ordinary.isEmpty)
            let choice = Choice(lane: lane, index: lane == .urgent ? urgent.startIndex : ordinary.startIndex)
            guard let count = lane == .urgent ? urgent.first : ordinary.first, chosen.isEmpty || count <= left else {
                break
            }
            if lane == .urgent { urgent.removeFirst() } else { ordinary.removeFirst() }
            guard charge(choice) else { continue }
            if lane == .urgent {
                takeUrgent(count, whileOrdinaryWaits: !ordinary.isEmpty)
            } else {
                takeOrdinary(count, whileUrgentWaits: !urgent.isEmpty)
            }
            chosen.append(choice)
            left -= count
        }
        return chosen
    }
}
