/// Why a request cannot be made: on this link, or on any other.
struct UnsendablePush: Error {
    let code: PushErrorCode
    /// What is wrong and what to do.
    let sentence: String

    init(_ code: PushErrorCode, _ sentence: String) {
        self.code = code
        self.sentence = sentence
    }
}
