import PushSimulator
import SupervisedPush

/// Compares the caller's account of a random life with the simulator's, push by push.
struct OracleVerdict {
    private(set) var violations: [String] = []
    /// How many ended how, for the message of a failed test.
    private(set) var summary: [String: Int] = [:]

    /// - Parameter records: what the simulator processed. A push is known by its apns-id.
    init(_ book: OracleBook, _ records: [Ledger.Record], id: (Int) -> APNSID) {
        let seen = Dictionary(grouping: records) { $0.apnsID.flatMap { APNSID($0) } }
        let entries = book.entries
        for (number, entry) in entries.enumerated() {
            judge(number, entry, seen[id(number)] ?? [])
        }
        if book.strangers > 0 { violations.append("\(book.strangers) pushes were handed back that nobody called") }
        judgeOrder(entries, records, id)
    }

    private mutating func judge(_ number: Int, _ entry: OracleBook.Entry, _ seen: [Ledger.Record]) {
        var found: [String] = []
        defer { violations += found.map { "push \(number) (\(entry.form)) \($0)" } }
        if seen.count > 1, !entry.mayRepeat {
            // A bulk pushes again what was refused for the sender or the service.
            if !entry.isRetried, entry.form != .bulk {
                found.append("was processed \(seen.count) times: \(Self.story(entry, seen))")
            } else if seen.dropLast().contains(where: { $0.status == 200 }) {
                found.append("was accepted and went out again: \(Self.story(entry, seen))")
            }
        }
        if entry.wasRefused {
            summary["refused", default: 0] += 1
            if !seen.isEmpty { found.append("was refused at the call and processed") }
            if !entry.outcomes.isEmpty || !entry.handedBack.isEmpty {
                found.append("was refused at the call and ended, too")
            }
        } else if entry.form == .fireAndForget {
            judgeFireAndForget(entry, seen, &found)
        } else if entry.outcomes.count == 1, let outcome = entry.outcomes.first, entry.handedBack.isEmpty {
            judge(outcome, of: entry, seen, &found)
        } else {
            found.append("has \(entry.outcomes.count) outcomes and was handed back \(entry.handedBack.count) times")
        }
    }

    /// What both accounts have of a push.
    private static func story(_ entry: OracleBook.Entry, _ seen: [Ledger.Record]) -> String {
        let answers = seen.map { "\($0.status) on \($0.connection), stream \($0.stream), at \($0.wallClock) ms" }
        return "\(answers); its caller got \(entry.outcomes)"
    }

    private mutating func judgeFireAndForget(
        _ entry: OracleBook.Entry, _ seen: [Ledger.Record], _ found: inout [String]
    ) {
        summary[entry.handedBack.first.map { "handed back \($0.rawValue)" } ?? "sent and answered", default: 0] += 1
        switch entry.handedBack.first {
        case nil where seen.isEmpty: found.append("vanished: neither processed nor handed back")
        case .notSent? where !seen.isEmpty, .unprocessed? where !seen.isEmpty:
            found.append(
                "was handed back \(entry.handedBack), and was answered \(seen.map(\.status)) (retried: \(entry.isRetried))"
            )
        case _ where entry.handedBack.count > 1: found.append("was handed back \(entry.handedBack.count) times")
        default: break
        }
    }

    private mutating func judge(
        _ outcome: Result<PushResponse, PushError>, of entry: OracleBook.Entry, _ seen: [Ledger.Record],
        _ found: inout [String]
    ) {
        switch outcome {
        case .success(let response):
            summary["\(response.status)", default: 0] += 1
            if !seen.contains(where: { $0.status == response.status }) {
                found.append("was answered \(response.status), and APNs never said that")
            } else if !entry.mayRepeat, seen.last?.status != response.status {
                found.append("has an answer that was not the last: \(Self.story(entry, seen))")
            }
        case .failure(let error):
            summary["\(error.code) \(error.certainty.rawValue)", default: 0] += 1
            switch error.certainty {
            case .notSent, .unprocessed:
                if !seen.isEmpty { found.append("is called \(error.certainty.rawValue) and was processed: \(error)") }
            case .unknown: break
            case .answered: found.append("failed although it was answered: \(error)")
            }
        }
    }

    /// Where order per device holds, a device gets its pushes in call order. What ended unknown may still arrive after its
    /// successor: its bytes were on their way.
    private mutating func judgeOrder(
        _ entries: [OracleBook.Entry], _ records: [Ledger.Record], _ id: (Int) -> APNSID
    ) {
        let numbers = Dictionary(uniqueKeysWithValues: entries.indices.map { (id($0), $0) })
        var latest: [Int: Int] = [:]
        for record in records {
            guard let id = record.apnsID.flatMap({ APNSID($0) }), let number = numbers[id],
                let device = entries[number].orderedDevice
            else { continue }
            if let before = latest[device], before > number, !entries[number].endedUnknown {
                violations.append("device \(device) got push \(number) after push \(before)")
            }
            latest[device] = number
        }
    }
}
