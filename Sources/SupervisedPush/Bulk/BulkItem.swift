/// What a bulk sends: an element of its source.
enum BulkItem: Sendable {
    case push(Push)
    case broadcast(Broadcast)
}

/// How one of them ended.
struct BulkResult: Sendable {
    let index: Int
    let item: BulkItem
    let pushID: PushID
    let apnsID: APNSID?
    let result: Result<PushResponse, PushError>
    let attempts: Int
}

extension PushRecord {
    /// What its caller has; nil for a request to the management of channels, which no bulk makes.
    var item: BulkItem? { push.map { .push($0) } ?? broadcast.map { .broadcast($0) } }
}

extension Outbox {
    func issue(_ item: BulkItem, _ options: PushOptions) -> PushRecord {
        switch item {
        case .push(let push): issue(push, options)
        case .broadcast(let broadcast): issue(broadcast, options)
        }
    }
}
