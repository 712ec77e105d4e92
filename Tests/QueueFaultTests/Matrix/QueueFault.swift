import PushSimulator

/// A fault of a queue: how it is brought about, and what must become of every push.
struct QueueFault: Sendable {
    /// What happens, as a sentence.
    let name: String
    /// The stores for which it has a meaning.
    var stores: [StoreKind] = StoreKind.allCases
    /// How many tokens the queue acknowledges.
    let put: Int
    /// What becomes of them. What is not named must be 0.
    let expected: Expected
    /// How many entries become dead letters.
    var dead = 0
    /// What the simulators keep: whole pushes, unless there are too many.
    var ledger = Ledger.Detail(distinctKeys: 0, records: 400_000)
    /// Lets the fault strike, proves that it did, and goes on until each push has its outcome.
    let story: @Sendable (QueueStage) async throws -> Void

    /// What must become of the tokens.
    struct Expected: Sendable {
        var delivered: Bound
        var unknown = Bound.exactly(0)
        var failed = Bound.exactly(0)
        /// Without an outcome.
        var lost = Bound.exactly(0)
        /// Accepted by APNs more than once.
        var twice = Bound.exactly(0)
    }

    /// A number that a run must see: an exact one, or one that differs from run to run.
    enum Bound: Sendable, CustomStringConvertible {
        case exactly(Int)
        /// At least one.
        case some(atMost: Int)

        func contains(_ number: Int) -> Bool {
            switch self {
            case .exactly(let exact): number == exact
            case .some(let most): (1...most).contains(number)
            }
        }

        var description: String {
            switch self {
            case .exactly(0): "–"
            case .exactly(let number): "\(number)"
            case .some: "some"
            }
        }
    }
}

/// Where the queue is.
enum StoreKind: String, Sendable, CaseIterable {
    case redis = "Redis"
    case sqlite = "SQLite"
}

/// One cell of the matrix.
struct QueueCell: Sendable, CustomStringConvertible {
    let fault: QueueFault
    let store: StoreKind

    var description: String { "\(fault.name) · \(store.rawValue)" }
}
