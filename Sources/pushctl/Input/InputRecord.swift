/// One push as the input describes it, or what is wrong with the description. In both cases it gets one outcome row.
struct InputRecord: Equatable, Sendable {
    /// The physical line where the record begins, from 1.
    var line: Int
    /// The text from the input, even if it is not a token; empty if none could be read.
    var token = ""
    var topic: String?
    var collapseID: String?
    var apnsID: String?
    var pushType: String?
    var expiration: Int64?
    var priority: Int?
    /// The bytes of a JSON object, as in the input.
    var payload: [UInt8]?
    /// The values that placeholders name, in the order of the names; nil for one that the record lacks.
    var values: [[UInt8]?] = []
    /// A sentence for a person, if the record can't be pushed.
    var problem: String?

    init(line: Int) {
        self.line = line
    }

    init(line: Int, token: String = "", problem: String) {
        self.line = line
        self.token = token
        self.problem = problem
    }
}
