/// Why a request cannot be made, on any link.
struct UnsendablePush: Error {
    let code: PushError.Code
    /// What is wrong and what to do.
    let sentence: String

    init(_ code: PushError.Code, _ sentence: String) {
        self.code = code
        self.sentence = sentence
    }
}
