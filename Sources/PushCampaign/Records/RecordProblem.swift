import SupervisedPush

/// Why a record is not pushed.
package struct RecordProblem: Error {
    /// What is wrong; shows names, no values.
    package let sentence: String
    /// The reason in its row.
    package let reason: String

    package init(_ sentence: String, reason: String = "invalid_input") {
        self.sentence = sentence
        self.reason = reason
    }

    init(_ unfilled: Template.Unfilled) {
        self.init(unfilled.sentence, reason: unfilled == .tooLong ? "payload_too_large" : "invalid_input")
    }

    /// A push that breaks a rule.
    init(_ error: InvalidPush) {
        self.init("\(error)", reason: error.code == .payloadTooLarge ? "payload_too_large" : "invalid_input")
    }
}
