import PushSimulator
import SupervisedPush
import TestSupport

/// Compares the two ledgers of a cell, push by push.
struct Audit {
    private(set) var counts = Counts()
    /// What must never happen, and did.
    private(set) var violations: [String] = []

    init(_ total: Int, _ book: PushBook, _ records: [Ledger.Record], _ fault: FaultCase) {
        let (outcomes, ids) = (book.outcomes, book.ids)
        let numbers = Self.numbers(of: records, total, ids, fault)
        let byNumber = Dictionary(grouping: zip(numbers, records), by: \.0).mapValues { $0.map(\.1) }
        for number in 0..<total {
            let seen = byNumber[number] ?? []
            compare(number, outcomes[number] ?? [], seen)
            if !seen.isEmpty { counts.processed += 1 }
            if seen.count(where: { $0.status == 200 }) > 1 { counts.repeated += 1 }
            if seen.count > 1, !fault.mayRepeat, !fault.mayRetry {
                violations.append("push \(number) was processed \(seen.count) times")
            }
            if fault.mayRetry, seen.dropLast().contains(where: { $0.status == 200 }) {
                violations.append("push \(number) was accepted and went out again")
            }
            if let id = ids[number], seen.contains(where: { $0.apnsID.flatMap { APNSID($0) } != id }) {
                violations.append("push \(number) went out under another apns-id")
            }
        }
        if fault.keepsOrder { checkOrder(records, numbers) }
        if fault.devices != nil { checkOrderPerDevice(records, numbers) }
    }

    /// The number of each record's push; -1 for none of the cell's. Each goes to a device of its own, or else is told by its
    /// apns-id.
    private static func numbers(
        of records: [Ledger.Record], _ total: Int, _ ids: [Int: APNSID], _ fault: FaultCase
    ) -> [Int] {
        guard fault.devices == nil else {
            let numbers = Dictionary(ids.map { ($1, $0) }) { first, _ in first }
            return records.map { $0.apnsID.flatMap { APNSID($0) }.flatMap { numbers[$0] } ?? -1 }
        }
        let numbers = Dictionary(uniqueKeysWithValues: (0..<total).map { (fault.token($0).hex, $0) })
        return records.map { numbers[$0.deviceToken] ?? -1 }
    }

    private mutating func compare(_ number: Int, _ outcomes: [PushBook.Outcome], _ seen: [Ledger.Record]) {
        guard outcomes.count == 1, let outcome = outcomes.first else {
            return violations.append("push \(number) has \(outcomes.count) outcomes")
        }
        switch outcome {
        case .success(let response) where response.isAccepted:
            counts.delivered += 1
            if !seen.contains(where: { $0.status == 200 }) {
                violations.append("push \(number) is called delivered and was not accepted")
            }
        case .success(let response):
            counts.rejected += 1
            if !seen.contains(where: { $0.status == response.status }) {
                violations.append("push \(number) is called rejected (\(response.status)) and was not")
            }
        case .failure(let error): note(number, error, isSeen: !seen.isEmpty)
        }
    }

    private mutating func note(_ number: Int, _ error: PushError, isSeen: Bool) {
        switch error.certainty {
        case .notSent: counts.notSent += 1
        case .unprocessed: counts.unprocessed += 1
        case .unknown: return counts.unknown += 1
        case .answered: return violations.append("push \(number) failed although it was answered: \(error)")
        }
        if isSeen { violations.append("push \(number) is called \(error.certainty.rawValue) and was processed") }
    }

    /// One caller's pushes leave one link in call order.
    private mutating func checkOrder(_ records: [Ledger.Record], _ numbers: [Int]) {
        for (connection, pushes) in Dictionary(grouping: zip(numbers, records), by: \.1.connection) {
            let order = pushes.map(\.0).filter { $0 >= 0 }
            if zip(order, order.dropFirst()).contains(where: { $0 >= $1 }) {
                violations.append("connection \(connection) got pushes out of call order")
            }
        }
    }

    /// The pushes of one device arrive in call order, whichever links they take and however often they are tried.
    private mutating func checkOrderPerDevice(_ records: [Ledger.Record], _ numbers: [Int]) {
        for (device, pushes) in Dictionary(grouping: zip(numbers, records), by: \.1.deviceToken) {
            let order = pushes.map(\.0)
            if zip(order, order.dropFirst()).contains(where: { $0 > $1 }) {
                violations.append("device \(device.suffix(4)) got pushes out of call order")
            }
        }
    }
}
