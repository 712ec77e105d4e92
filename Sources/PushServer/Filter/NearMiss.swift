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

    /// How many are reported, and among how many of the newest pushes they are chosen.
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
        func check(_ field: String, expected: String?, actual: String?, isSame: Bool) {
            if let expected, !isSame {
                found.append(NearMiss.Difference(field: field, expected: expected, actual: actual))
            }
        }
        let type = push.pushType ?? "alert"
        check("topic", expected: topic, actual: push.topic, isSame: push.topic == topic)
        check("type", expected: self.type, actual: type, isSame: type == self.type)
        check(
            "token", expected: token, actual: push.deviceToken,
            isSame: push.deviceToken?.lowercased().hasPrefix(token ?? "") == true)
        check("status", expected: status?.text, actual: "\(push.status)", isSame: status?.matches(push.status) != false)
        check("reason", expected: reason, actual: push.refusal?.rawValue, isSame: push.refusal?.rawValue == reason)
        check("key", expected: keyID, actual: push.keyID, isSame: push.keyID == keyID)
        check("channel", expected: channel, actual: push.channelID, isSame: push.channelID == channel)
        let number = push.request.connection.number
        check("connection", expected: connection.map { "\($0)" }, actual: "\(number)", isSame: connection == number)
        check("session", expected: session?.name, actual: nil, isSame: session?.covers(push) != false)
        check("text", expected: text, actual: nil, isSame: text.map { TextSearch.finds($0, in: push) } != false)
        return found
    }
}
