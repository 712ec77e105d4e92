import PushInspection
import PushSimulator

/// A push that was nearly meant, and in what it differs.
struct NearMiss: Sendable {
    struct Difference: Sendable, Hashable {
        let field: String
        let expected: String
        let actual: String?
    }

    let push: InboxPush
    let differences: [Difference]

    /// How many are told, and of how many pushes, the newest ones, they are chosen.
    static let most = 3
    static let looked = 1_000

    /// The pushes that differ least from what was waited for, the closest first; of those that differ as much, the
    /// newest first.
    static func closest(to filter: PushFilter, in pushes: some BidirectionalCollection<InboxPush>) -> [NearMiss] {
        let misses = pushes.suffix(looked).reversed().map {
            NearMiss(push: $0, differences: filter.differences(of: $0))
        }
        let sorted = misses.enumerated().filter { !$0.element.differences.isEmpty }.sorted {
            ($0.element.differences.count, $0.offset) < ($1.element.differences.count, $1.offset)
        }
        return sorted.prefix(most).map(\.element)
    }
}

extension PushFilter {
    /// In what a push differs from what is meant; empty if it is meant.
    func differences(of push: InboxPush) -> [NearMiss.Difference] {
        var found: [NearMiss.Difference] = []
        func check(_ field: String, _ expected: String?, _ actual: String?, _ isSame: Bool) {
            if let expected, !isSame {
                found.append(NearMiss.Difference(field: field, expected: expected, actual: actual))
            }
        }
        let type = push.pushType ?? "alert"
        check("topic", topic, push.topic, push.topic == topic)
        check("type", self.type, type, type == self.type)
        check("token", token, push.deviceToken, push.deviceToken?.lowercased().hasPrefix(token ?? "") == true)
        check("status", status?.text, "\(push.status)", status?.matches(push.status) != false)
        check("reason", reason, push.refusal?.rawValue, push.refusal?.rawValue == reason)
        check("key", keyID, push.keyID, push.keyID == keyID)
        check("channel", channel, push.channelID, push.channelID == channel)
        let number = push.request.connection.number
        check("connection", connection.map { "\($0)" }, "\(number)", connection == number)
        check("session", session?.name, nil, session?.covers(push) != false)
        check("text", text, nil, text.map { TextSearch.finds($0, in: push) } != false)
        return found
    }
}
