import PushSimulator
import SupervisedPush
import TestSupport

/// Compares the two ledgers of a cell, push by push.
struct Audit {
    private(set) var counts = Counts()
    /// What must never happen, and did.
    private(set) var violations: [String] = []

    init(_ total: Int, _ book: PushBook, _ records: [Ledger.Record], _ fault: FaultCase) {
        let byToken = Dictionary(grouping: records, by: \.deviceToken)
        let (outcomes, ids) = (book.outcomes, book.ids)
        for number in 0..<total {
            let seen = byToken[Samples.token(number).hex] ?? []
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
        if fault.keepsOrder { checkOrder(records, total) }
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
    private mutating func checkOrder(_ records: [Ledger.Record], _ total: Int) {
        var numbers: [String: Int] = [:]
        for number in 0..<total { numbers[Samples.token(number).hex] = number }
        for (connection, records) in Dictionary(grouping: records, by: \.connection) {
            let order = records.compactMap { numbers[$0.deviceToken] }
            if zip(order, order.dropFirst()).contains(where: { $0 >= $1 }) {
                violations.append("connection \(connection) got pushes out of call order")
            }
        }
    }
}
