import SupervisedPush

/// How pushes spread over the connections of a pool between two moments.
struct Spread {
    private let runtime: PushRuntime
    private let name: String
    private let before: [Int]

    /// Now.
    init(_ name: String, of runtime: PushRuntime) throws {
        self.runtime = runtime
        self.name = name
        before = try Self.accepted(name, runtime)
    }

    /// The share of the connection that carried the least since this moment, and of the one that carried the most, in
    /// percent of all pushes.
    func values() throws -> [String: Double] {
        let carried = zip(try Self.accepted(name, runtime), before).map { Double($0 - $1) }
        let all = max(1, carried.reduce(0, +))
        return ["least_share": 100 * (carried.min() ?? 0) / all, "most_share": 100 * (carried.max() ?? 0) / all]
    }

    /// By connection, the oldest first.
    private static func accepted(_ name: String, _ runtime: PushRuntime) throws -> [Int] {
        try runtime.connection(named: name).members.map(\.status).map(\.counters.accepted)
    }
}
