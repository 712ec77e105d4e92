/// Problems of single records for a person: the first few in full, the rest as a number.
struct LineProblems: Sendable {
    private let most: Int
    private let name: String
    private var count = 0

    init(inputName name: String, most: Int = 10) {
        self.name = name
        self.most = most
    }

    /// The line to print about a record; nil once there were enough.
    mutating func report(_ record: InputRecord) -> String? {
        guard let problem = record.problem else { return nil }
        count += 1
        guard count <= most else { return nil }
        return "pushctl: \(name), line \(record.line): \(problem)".onOneLine
    }

    /// How many more there were, for the end of the run.
    var remainder: String? {
        guard count > most else { return nil }
        return "pushctl: \(name): \(Figures.grouped(count - most)) more records were not pushed; see their reasons"
    }
}
