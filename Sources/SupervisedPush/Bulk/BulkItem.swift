/// What a bulk sends: an element of its source.
enum BulkItem: Sendable {
    case push(Push)
    case broadcast(Broadcast)
}

/// The outcome of an item.
struct BulkResult: Sendable {
    let index: Int
    let record: PushRecord
    let result: Result<PushResponse, PushError>
    let attempts: Int
}

extension Outbox {
    func issue(_ item: BulkItem, _ options: PushOptions) -> PushRecord {
        switch item {
        case .push(let push): issue(push, options)
        case .broadcast(let broadcast): issue(broadcast, options)
        }
    }
}
