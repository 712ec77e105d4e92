import PushCampaign
import PushTerminal

/// The totals of a worker, and with several queues those of each.
struct WorkerTotals: Sendable {
    let summary: Summary
    /// By name; empty for a worker of a single queue.
    let queues: [(name: String, tally: Tally)]

    func text(_ style: TerminalStyle) -> String {
        let rows = queues.map { (name: $0.name.onOneLine, count: $0.tally.total, note: $0.tally.text) }
        let column = CountTable.noteColumn(rows)
        let lines = CountTable.lines(rows).map { style.wrap($0, indent: column) }
        return ([summary.text(style)] + lines).joined(separator: "\n")
    }

    var json: [UInt8] {
        var object = JSONLine()
        summary.add(to: &object)
        if !queues.isEmpty {
            let members = queues.map { queue in
                var member = JSONLine()
                member.add("queue", queue.name)
                Summary.add(queue.tally, as: summary.name, to: &member)
                return member
            }
            object.add("queues", members)
        }
        return object.line
    }
}
