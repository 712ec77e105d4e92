import FoundationEssentials
import ProcessRuntime
import PushSimulator
import SupervisedPush

/// The simulator, the runtime and the clock of the test that runs, for its helpers, and for a test with a trait.
///
/// They are there within the body of ``withSimulatedAPNs(connecting:over:time:timeLimit:runtime:configure:isolation:_:)`` and within a
/// test with the trait `.simulatedAPNs` of the product `PushTestingTraits`, also in tasks that these begin. Tests that run in parallel each have
/// their own.
extension SimulatedAPNs {
    /// The simulator of the test that runs.
    ///
    /// - Throws: ``NoSimulatedAPNs`` outside of such a test.
    public static var current: SimulatedAPNs {
        get throws { try SimulatedStage.here.apple }
    }
}

extension PushRuntime {
    /// The runtime of the test that runs, see ``PushSimulator/SimulatedAPNs/current``.
    ///
    /// - Throws: ``NoSimulatedAPNs`` outside of such a test.
    public static var current: PushRuntime {
        get throws { try SimulatedStage.here.runtime }
    }
}

extension ManualTime {
    /// The manual clock of the test that runs, see ``PushSimulator/SimulatedAPNs/current``.
    ///
    /// - Throws: ``NoSimulatedAPNs`` outside of such a test, and where a test goes by the system's clocks.
    public static var current: ManualTime {
        get throws {
            guard let time = try SimulatedStage.here.time else {
                throw NoSimulatedAPNs(description: "This test goes by the system's clocks: give it time: .manual.")
            }
            return time
        }
    }
}

/// A test asked for its simulator, its runtime or its clock, and has none.
public struct NoSimulatedAPNs: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// What is missing, and what to do.
    public let description: String

    /// Same as ``description``.
    public var errorDescription: String? { description }
}

extension SimulatedStage {
    fileprivate static var here: SimulatedStage {
        get throws {
            guard let current else {
                throw NoSimulatedAPNs(
                    description:
                        "No simulator runs here: give the test the trait .simulatedAPNs (product PushTestingTraits), or call"
                        + " this within withSimulatedAPNs. A detached task does not have its test's simulator.")
            }
            return current
        }
    }
}
