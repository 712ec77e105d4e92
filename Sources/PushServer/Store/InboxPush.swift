import FoundationEssentials
import PushInspection
import PushSimulator
import SupervisedPush
import Synchronization

/// A push or a broadcast in an inbox.
final class InboxPush: Sendable {
    enum Content: Sendable {
        case push(ObservedPush)
        /// On its own, so that a push takes no room for one.
        indirect case broadcast(Ledger.ChannelRecord)
    }

    /// 1, 2, 3 … in order of arrival, over all connections.
    let number: Int
    let content: Content
    /// About what it takes in memory.
    let keptBytes: Int
    /// The record of a push, once a reader has looked at it.
    private let record = AtomicLazyReference<MadeRecord>()

    private final class MadeRecord: Sendable {
        let record: Ledger.Record

        init(_ record: Ledger.Record) { self.record = record }
    }

    init(number: Int, _ content: Content) {
        self.number = number
        self.content = content
        keptBytes =
            switch content {
            case .push(let push): 640 + push.bytes
            case .broadcast(let record): 640 + record.payload.count + record.headerLines.count
            }
    }

    private func record(of push: ObservedPush) -> Ledger.Record {
        // Two readers at a time may make two; the first one stays.
        (record.load() ?? record.storeIfNil(MadeRecord(push.makeRecord()))).record
    }

    /// What both have in a log.
    var request: any LoggedRequest {
        switch content {
        case .push(let push): record(of: push)
        case .broadcast(let record): record
        }
    }

    var wallClock: Int64 {
        switch content {
        case .push(let push): push.wallClock
        case .broadcast(let record): record.wallClock
        }
    }

    var status: Int {
        switch content {
        case .push(let push): push.status
        case .broadcast(let record): record.status
        }
    }

    var refusal: Refusal? {
        switch content {
        case .push(let push): push.refusal
        case .broadcast(let record): record.refusal
        }
    }

    var payload: [UInt8] { request.payload }
    var headerLines: [UInt8] { request.headerLines }

    /// The topic; of a broadcast the bundle id.
    var topic: String? {
        switch content {
        case .push(let push): record(of: push).topic
        case .broadcast(let record): record.bundleID
        }
    }

    var pushType: String? {
        switch content {
        case .push(let push): record(of: push).pushType
        case .broadcast(let record): record.pushType
        }
    }

    /// Nil for a broadcast.
    var deviceToken: String? {
        if case .push(let push) = content { record(of: push).deviceToken } else { nil }
    }

    /// Nil for a push to a device.
    var channelID: String? {
        if case .broadcast(let record) = content { record.channelID } else { nil }
    }

    var collapseID: String? {
        if case .push(let push) = content { record(of: push).collapseID } else { nil }
    }

    var priority: String? {
        switch content {
        case .push(let push): record(of: push).priority
        case .broadcast(let record): record.priority
        }
    }

    var expiration: String? {
        switch content {
        case .push(let push): record(of: push).expiration
        case .broadcast(let record): record.expiration
        }
    }

    var sender: ProviderIdentity? {
        if case .push(let push) = content { push.sender } else { nil }
    }

    /// The key that signed its provider token.
    var keyID: String? {
        if case .token(let keyID, _, _) = sender { keyID } else { nil }
    }

    /// The row of the order of checks that refused it.
    var refusedAt: Int? {
        if case .push(let push) = content { push.refusedAt } else { nil }
    }

    /// The `apns-id` of the answer; of a broadcast the request's own id.
    var answeredID: String? {
        switch content {
        case .push(let push): push.answeredID
        case .broadcast(let record): record.requestID
        }
    }

    /// The payload, if all of it was kept and it is JSON.
    var parsedPayload: JSONValue? {
        payload.count == request.bodyCount ? JSONValue(parsing: payload) : nil
    }
}
