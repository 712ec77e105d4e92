/// Fire-and-forget pushes that ended without an answer, collected until they are handed back, and a count of other
/// pushes.
struct HandBackBatch: Sendable {
    private(set) var pushes: [(record: PushRecord, certainty: Certainty)] = []
    /// Pushes that ended with an error to their own caller.
    var answeredElsewhere = 0

    var isEmpty: Bool { pushes.isEmpty && answeredElsewhere == 0 }

    /// Adds a push by how it ended.
    mutating func add(_ record: PushRecord, _ certainty: Certainty) {
        if record.outcome.isNobody {
            pushes.append((record, certainty))
        } else {
            answeredElsewhere += 1
        }
    }

    mutating func append(_ other: HandBackBatch) {
        pushes += other.pushes
        answeredElsewhere += other.answeredElsewhere
    }

    /// The lists in call order. Pushes end in a different order.
    var handBack: HandBack {
        var handBack = HandBack()
        handBack.answeredElsewhere = answeredElsewhere
        for push in pushes.sorted(by: { $0.record.callNumber < $1.record.callNumber }) {
            if let given = push.record.push {
                handBack.add(given, push.certainty)
            } else if let given = push.record.broadcast {
                handBack.broadcasts.append(HandBack.ReturnedBroadcast(broadcast: given, certainty: push.certainty))
            }
        }
        return handBack
    }
}
