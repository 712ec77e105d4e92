import PushCampaign
import PushTerminal
import SupervisedPush

/// What our own files say of the pushes, beside Apple's figures: of a whole file, because its rows have no time.
struct OwnCounts {
    private let name: String
    private let tally: Tally

    /// Nil unless a file is given.
    ///
    /// - Throws: Status 66 if it cannot be read.
    init?(_ options: MetricsOptions) throws(CommandError) {
        if let path = options.outcomes {
            (name, tally) = (path, try Tally(outcomes: path))
        } else if let path = options.journal {
            _ = try JournalFile.inspect(path)
            (name, tally) = (path, try Journal(reading: path).state().tally)
        } else {
            return nil
        }
    }

    /// `accepted` is what an outcomes file calls delivered: APNs has taken it, which says nothing of a device.
    private static func word(_ kind: PushOutcome.Kind) -> String { kind == .delivered ? "accepted" : kind.rawValue }

    /// One line.
    var text: String {
        let parts = PushOutcome.Kind.allCases.filter { $0 == .delivered || tally.count(of: $0) > 0 }.map { kind in
            let reasons = tally.reasonsText(of: kind)
            return "\(Figures.grouped(tally.count(of: kind))) \(Self.word(kind))"
                + (reasons.isEmpty ? "" : " (\(reasons))")
        }
        return "ours   \(parts.joined(separator: ", ")), all of \(name)".onOneLine
    }

    /// One line.
    var json: [UInt8] {
        var object = JSONLine()
        object.add("ours", name)
        for kind in PushOutcome.Kind.allCases { object.add(Self.word(kind), tally.count(of: kind)) }
        for kind in PushOutcome.Kind.allCases where !tally.reasons(of: kind).isEmpty {
            object.add("\(Self.word(kind))_reasons", tally.reasons(of: kind).map { ($0.reason, $0.count) })
        }
        return object.line
    }
}
