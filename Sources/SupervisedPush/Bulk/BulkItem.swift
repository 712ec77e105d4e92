/// What a bulk sends: an element of its source.
enum BulkItem: Sendable {
    case push(Push)
    case broadcast(Broadcast)
}

/// The outcome of an item.
package struct BulkResult: Sendable {
    /// Its position in the source, or the number that the source gave it.
    package let index: Int
    let record: PushRecord
    package let result: Result<PushResponse, PushError>
    /// How often it was written.
    package let attempts: Int
    /// How a push ended after all whose result was not final; nil for the result itself. Only numbered pushes have it: see
    /// ``PushConnection/bulk(numbered:options:)``.
    package var late: LateResponse.Outcome?
    /// False if a second result with the late end follows.
    package var isFinal = true

    package var apnsID: APNSID? { record.apnsID }
    /// Nil for a broadcast.
    package var deviceToken: DeviceToken? { record.head.deviceToken }
}

extension Outbox {
    func issue(_ item: BulkItem, _ options: PushOptions) -> PushRecord {
        switch item {
        case .push(let push): issue(push, options: options)
        case .broadcast(let broadcast): issue(broadcast, options: options)
        }
    }
}
