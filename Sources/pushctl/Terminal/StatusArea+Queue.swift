import PushTerminal

/// The lines of a run that puts into a queue.
extension StatusArea {
    /// The outcomes, if they are waited for; otherwise what is put.
    func counts(_ put: PutStanding) -> FittingLine {
        guard !put.awaitsOutcomes else { return outcomes }
        var line = FittingLine()
        line.add(put.text, rank: .vital)
        line.add(.init(invalid(put, rank: .always)))
        return line
    }

    /// Where it is put, and what keeps it from that.
    func queue(_ put: PutStanding) -> FittingLine {
        var line = FittingLine()
        if let hindrance = put.hindrance { line.add(hindrance.onOneLine, rank: .always, tone: .bad) }
        if put.awaitsOutcomes {
            line.add(put.text, rank: .vital)
            if put.invalid > 0 { line.add(.init(invalid(put, rank: .important))) }
        }
        line.add("to \(put.place.onOneLine)", rank: .detail, tone: .dim)
        return line
    }

    private func invalid(_ put: PutStanding, rank: FittingLine.Rank) -> FittingLine.Part.Form {
        .init("\(Figures.grouped(put.invalid)) invalid", rank: rank, tone: put.invalid > 0 ? .warning : .plain)
    }

    /// What Ctrl-C does now.
    func hint(_ put: PutStanding) -> FittingLine {
        var line = FittingLine()
        guard status.stopping == nil else {
            line.add(
                .init(
                    .init(
                        "stopping: the last entries are put, and no outcome is waited for", rank: .vital, tone: .warning
                    ),
                    .init("stopping", rank: .always, tone: .warning)))
            return line
        }
        let text = put.isOver ? "Ctrl-C: wait no longer; what is put is pushed" : "Ctrl-C: put no more"
        line.add(text, rank: .always, tone: .dim)
        return line
    }
}
