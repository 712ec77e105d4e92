/// A queue that is paused, goes on, or gets another rate, and campaigns that are held, while the worker runs.
extension WorkerMachine {
    mutating func steer(_ order: QueueSteering) {
        guard order != steering else { return }
        let before = steering
        steering = order
        if order.rate != before.rate { changeRate(order.rate ?? ownRate) }
        if order.isPaused, !before.isPaused { pauseQueue() }
        // Others may have put something back.
        if !order.isPaused, before.isPaused { foundNothing = false }
        out.append(.tell(.steered(order)))
    }

    /// Gives it another rate of its own. The queue's goes first.
    mutating func pace(_ rate: QueueRate?) {
        ownRate = rate
        changeRate(steering.rate ?? rate)
    }

    private mutating func changeRate(_ next: QueueRate?) {
        guard next != rate else { return }
        rate = next
        // A time that the store named goes by the rate before.
        permitAt = nil
        if next == nil { (permits, permitsEnd) = (0, nil) }
    }

    /// What is not written goes back. What is in flight gets its answer, and what is in doubt stays with the worker: to give
    /// it back would add a doubt.
    private mutating func pauseQueue() {
        if flying > 0 { out.append(.withdraw(nil)) }
        giveBackAll()
    }

    /// The campaigns of what the worker has.
    var campaigns: Set<CampaignName> { Set(entries.values.compactMap(\.campaign)) }

    /// What is not written of a campaign that is held leaves the worker. What is in flight gets its answer.
    mutating func hold(_ holds: [CampaignName: QueueCampaign.Hold]) {
        let changed = Array(entries.keys).filter { key in
            entries.index(forKey: key).map { entries.values[$0].isChanged(by: holds) } ?? false
        }
        for key in changed.sorted(by: { $0.description < $1.description }) {
            guard let place = entries.index(forKey: key) else { continue }
            entries.values[place].obey(holds)
            guard entries.values[place].hold != nil else { continue }
            if entries.values[place].flying > 0 { out.append(.withdraw(key)) }
            giveBack(key)
            // It may have been on its way back already.
            resolve(key)
        }
    }
}
