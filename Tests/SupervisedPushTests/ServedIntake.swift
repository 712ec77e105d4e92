@testable import SupervisedPush

extension Intake {
    /// An intake with a process that never looks by itself.
    static func served(_ bounds: Bounds = Bounds(), _ budget: ByteBudget = ByteBudget(limit: .max)) -> Intake {
        final class Idle: Behavior {
            func receive(_ message: ConnectionMessage, in context: ProcessContext<ConnectionMessage>) {}
        }
        let intake = Intake(bounds: bounds, budget: budget)
        intake.attach(ProcessSystem(time: ManualTime()).spawn(label: "idle") { Idle() })
        return intake
    }

    /// Cancels a push; returns it if whoever cancels has to answer it.
    func withdraw(_ record: PushRecord) -> PassedOnPush? {
        if case .ended(let push) = cancel(record) { push } else { nil }
    }
}
