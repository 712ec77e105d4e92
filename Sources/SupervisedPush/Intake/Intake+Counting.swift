/// The arithmetic of the bounds.
extension Intake.State {
    func hasRoom(for record: PushRecord, _ bounds: Intake.Bounds) -> Bool {
        waiting + undelivered < bounds.maxWaiting && waitingBytes + record.size <= bounds.maxWaitingBytes
    }

    var isIdle: Bool { waiting == 0 && parkedCount == 0 && inFlight == 0 && undelivered == 0 && passedOn.isEmpty }

    func load(_ bounds: Intake.Bounds) -> PushError.Load {
        PushError.Load(inFlight: inFlight, waiting: waiting + undelivered, limit: bounds.maxWaiting)
    }

    mutating func count(_ record: PushRecord) {
        record.admission = .admitted
        waiting += 1
        waitingBytes += record.size
    }

    /// A push waits no longer: its place goes to those that wait for room.
    mutating func release(_ record: PushRecord, _ bounds: Intake.Bounds) {
        switch record.admission {
        case .admitted:
            waiting -= 1
            waitingBytes -= record.size
        case .parked:
            parkedCount -= 1
        case .notOffered, .released, .withdrawn:
            return
        }
        record.admission = .released
        promote(bounds)
    }

    private mutating func promote(_ bounds: Intake.Bounds) {
        while let next = parked.first {
            if next.admission == .parked {
                guard hasRoom(for: next, bounds) else { return }
                parkedCount -= 1
                count(next)
            }
            parked.removeFirst()
        }
    }
}
