/// A pure state machine: an event goes in, actions come out.
///
/// A machine has no socket, no queue, no clock and no random source; instants and seeds are arguments. One interpreter
/// performs its actions in order and feeds the results back as events.
package protocol StateMachine {
    associatedtype Event
    associatedtype Action

    /// Handles an event that occurred at `now`, and appends the actions it causes.
    mutating func handle(_ event: Event, _ now: MonotonicInstant, into actions: inout [Action])

    /// When the machine must be called at the latest because time passed; nil if it waits for no instant.
    var nextWake: MonotonicInstant? { get }
}

extension StateMachine {
    /// Handles an event that occurred at `now`, and returns the actions it causes.
    package mutating func handle(_ event: Event, _ now: MonotonicInstant) -> [Action] {
        var actions: [Action] = []
        handle(event, now, into: &actions)
        return actions
    }
}
