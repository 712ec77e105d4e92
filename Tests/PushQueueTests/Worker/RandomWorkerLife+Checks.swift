import Foundation

@testable import PushQueue

/// What must hold whenever a worker of a random life writes a push or gives an entry back.
extension RandomWorkerLife {
    mutating func checkRelease(_ key: TakenEntry.Key, _ place: Int) {
        guard let stored = UInt64(key.description).flatMap({ store.stored[$0] }), stored.doubts == 0,
            stored.place == .taken(by: workers[place].id)
        else { return }
        if workers[place].touched.contains(key) { problems.append("\(key) is released, and something was sent") }
        if stored.offered > 0 { problems.append("\(key) is released, and its store was asked to offer it") }
    }

    mutating func wrote(_ flight: RandomWorker.Flight, _ worker: RandomWorker) {
        counts["push", default: 0] += 1
        let stored = UInt64(flight.key.description).flatMap { store.stored[$0] }
        if let hold = worker.machine.hold(of: flight.key) { problems.append("\(flight) is pushed and \(hold)") }
        // A worker that was taken for dead may settle what another one is about to push: its word comes too late.
        let got = worker.got[flight.key]
        if got?.settled.contains(flight.token.index) ?? true { problems.append("\(flight) was settled") }
        // Nor does it know of the answer to an earlier push if this worker's predecessor got one that asks for time.
        let last = attempts[flight.token]
        if got?.doubts == 0, last?.postponedTo == nil, stored?.settled.contains(flight.token.index) ?? true {
            problems.append("\(flight) is settled by another worker, without doubt")
        }
        if stored?.doubts == 2, worker.flights.contains(where: { $0.isWritten && $0.key != flight.key }) {
            problems.append("\(flight) is not pushed alone")
        }
        if let date = last?.postponedTo, wall < date, got?.doubts == 0 {
            problems.append("\(flight) is pushed too early")
        }
        if let last, last.postponedTo == nil {
            counts["again", default: 0] += 1
            if last.worker == worker.id { problems.append("\(flight) is pushed twice by \(worker.id)") }
            if got?.doubts == 0 { problems.append("\(flight) is pushed twice without doubt") }
            if entries[flight.token.entry]?.neverRepeats ?? true {
                problems.append("\(flight) is pushed twice despite neverRepeats")
            }
        }
        attempts[flight.token] = (worker.id, nil)
    }
}
