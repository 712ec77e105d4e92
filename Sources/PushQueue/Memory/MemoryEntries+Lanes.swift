import SupervisedPush

/// What waits in one lane, in the order in which it is taken: what was released, then the rest.
struct MemoryLane: Sendable {
    var released: [UInt64] = []
    var waiting: [UInt64] = []

    var all: [UInt64] { released + waiting }

    func contains(where isWanted: (UInt64) -> Bool) -> Bool {
        released.contains(where: isWanted) || waiting.contains(where: isWanted)
    }

    mutating func removeAll(where isGone: (UInt64) -> Bool) {
        released.removeAll(where: isGone)
        waiting.removeAll(where: isGone)
    }

    /// Removes some of the first entries.
    mutating func remove(_ numbers: Set<UInt64>, amongFirst count: Int) {
        let (ofReleased, ofWaiting) = (min(count, released.count), max(0, count - released.count))
        released.replaceSubrange(..<ofReleased, with: released[..<ofReleased].filter { !numbers.contains($0) })
        waiting.replaceSubrange(..<ofWaiting, with: waiting[..<ofWaiting].filter { !numbers.contains($0) })
    }
}

/// The two lanes of a queue in memory.
extension MemoryEntries {
    /// The entries at the front of a lane: as many as fit, and the next one.
    private struct Front {
        var numbers: [UInt64] = []
        var tokens: [Int] = []
        /// How many entries of the lane were looked at.
        var looked = 0
    }

    /// Whether something can be taken.
    func hasWaiting(_ now: Date) -> Bool {
        [urgent, ordinary].contains { $0.contains { !isPaused($0) && !isOverRate($0, charged, now) } }
    }

    /// All that waits, in no order between the lanes.
    var allWaiting: [UInt64] { urgent.all + ordinary.all }

    /// The entry is the last one of its lane; the last of those that were released, if it was.
    mutating func joinLane(_ number: UInt64, isReleased: Bool = false) {
        let place = isReleased ? \MemoryLane.released : \.waiting
        if stored[number]?.isUrgent == true {
            urgent[keyPath: place].append(number)
        } else {
            ordinary[keyPath: place].append(number)
        }
    }

    mutating func take(as worker: WorkerID, tokens: Int, _ now: Date) -> [TakenEntry] {
        counters[worker] = counters[worker] ?? 0
        dropCancelled()
        let room = max(1, tokens)
        boundCharges(now)
        let fronts = [LaneDebt.Lane.urgent: front(of: urgent, room, now), .ordinary: front(of: ordinary, room, now)]
        func number(_ choice: LaneDebt.Choice) -> UInt64? { fronts[choice.lane]?.numbers[choice.index] }
        var (lanes, charges) = (debt, charged)
        let chosen = lanes.choose(
            urgent: fronts[.urgent]?.tokens ?? [], ordinary: fronts[.ordinary]?.tokens ?? [], room: room
        ) { choice in
            guard let number = number(choice), !isOverRate(number, charges, now) else { return false }
            charge(number, &charges, now)
            return true
        }
        (debt, charged) = (lanes, charges)
        let numbers = chosen.compactMap(number)
        urgent.remove(Set(numbers), amongFirst: fronts[.urgent]?.looked ?? 0)
        ordinary.remove(Set(numbers), amongFirst: fronts[.ordinary]?.looked ?? 0)
        return numbers.compactMap { give($0, to: worker) }
    }

    private func front(of lane: MemoryLane, _ room: Int, _ now: Date) -> Front {
        var (front, sum, charges) = (Front(), 0, charged)
        for numbers in [lane.released, lane.waiting] {
            for number in numbers {
                guard sum < room else { return front }
                front.looked += 1
                guard !isPaused(number), !isOverRate(number, charges, now) else { continue }
                charge(number, &charges, now)
                let open = stored[number]?.openCount ?? 0
                front.numbers.append(number)
                front.tokens.append(open)
                sum += open
            }
        }
        return front
    }
}
