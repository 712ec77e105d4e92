import PushTerminal
import SupervisedPush

/// What `top --check` finds: a line for each link that is not up, and none if all are well.
enum TopCheck {
    static func problems(_ snapshot: StatusSnapshot) -> [String] {
        let (tree, unconnected) = (snapshot.tree, snapshot.unconnected ?? [])
        guard !tree.children.isEmpty || !unconnected.isEmpty else {
            return ["\(snapshot.program) \(snapshot.processID): no connection".onOneLine]
        }
        let pools = Dictionary(tree.pools.map { ($0.id, $0.status.name ?? "pool") }) { first, _ in first }
        // What is closing finishes its pushes, as it was asked to.
        let links = tree.children.filter { $0.status.phase != .up && $0.state != "closing" }.map { child in
            let name = child.parent.flatMap { pools[$0] } ?? child.status.name ?? "anonymous"
            let member = child.parent == nil ? "" : " \(child.member ?? 0)"
            let cause = child.status.refusal?.description ?? child.status.outage?.cause.description
            return "\(name)\(member): \(child.status.phase.rawValue)\(cause.map { ": \($0)" } ?? "")".onOneLine
        }
        return links + unconnected.map { "\($0.name): \($0.cause)".onOneLine }
    }
}
