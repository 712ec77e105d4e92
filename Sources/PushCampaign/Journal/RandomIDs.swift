import SupervisedPush

/// Makes apns-ids.
struct RandomIDs: Sendable {
    private var words = RandomWords()

    mutating func makeID() -> APNSID { APNSID(using: &words) }
}
