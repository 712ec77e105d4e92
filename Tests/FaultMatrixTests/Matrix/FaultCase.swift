import PushSimulator
import SupervisedPush
import TestSupport

/// A row of the matrix: a fault, how it is brought about, and what must become of every push.
///
/// The story brings the connection to its load, lets the fault strike, proves that it did, and goes on until every push
/// has its outcome. The numbers are exact: clock and network are manual, and where the simulator reads is decided.
struct FaultCase: Sendable, CustomStringConvertible {
    /// What happens, as a sentence.
    let name: String
    /// The credentials and loads for which the fault has a meaning.
    var credentials = CellCredential.allCases
    var loads = Load.allCases
    /// True where the caller asked for resends that can make duplicates.
    var mayRepeat = false
    /// True where a push that was refused is tried again: it may be processed more than once, and accepted once.
    var mayRetry = false
    /// How far the connection has come when the story begins.
    var beginning = Beginning.proven
    /// True where the key of the provider tokens is not the team's.
    var showsForeignKey = false
    /// False where pushes of one link legitimately leave in another order than they were called.
    var keepsOrder = true
    /// What is pushed.
    var notification = Samples.flight
    /// To how many devices the pushes go, one after the other, each in its order; nil: each to one of its own.
    var devices: Int?
    /// The last stream number that a link uses; nil: the last there is.
    var lastStream: @Sendable (Load) -> Int32? = { _ in nil }
    /// Changes the simulator's configuration.
    var simulator: @Sendable (inout SimulatedAPNs.Configuration) -> Void = { _ in }
    /// Changes the connection's configuration.
    var connection: @Sendable (inout PushConnection.Configuration) -> Void = { _ in }
    /// What must become of the pushes.
    var expected: @Sendable (Cell) -> Counts
    /// What happens.
    let story: @Sendable (FaultStage) async throws -> Void

    enum Beginning: Sendable {
        /// Its first push was accepted.
        case proven
        /// It is up.
        case up
    }

    var description: String { name }

    init(
        _ name: String, expected: @escaping @Sendable (Cell) -> Counts,
        story: @escaping @Sendable (FaultStage) async throws -> Void
    ) {
        self.name = name
        self.expected = expected
        self.story = story
    }

    /// The device that the push of this number goes to.
    func token(_ number: Int) -> DeviceToken { Samples.token(devices.map { number % $0 } ?? number) }

    /// A copy with changes.
    func with(_ change: (inout FaultCase) -> Void) -> FaultCase {
        var copy = self
        change(&copy)
        return copy
    }
}

/// Faults of one kind: a table of `docs/faults.md`.
struct FaultChapter: Sendable {
    let title: String
    /// What the numbers have in common.
    let remark: String
    let faults: [FaultCase]

    var cells: [Cell] {
        faults.flatMap { fault in
            fault.credentials.flatMap { credential in
                fault.loads.map { Cell(fault: fault, credential: credential, load: $0) }
            }
        }
    }
}
