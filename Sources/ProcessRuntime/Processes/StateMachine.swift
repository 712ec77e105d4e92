/// Decides purely: an event goes in, actions come out.
///
/// A machine has no socket, no queue, no clock and no chance; instants and seeds are arguments. One interpreter performs its
/// actions, in their order, and feeds what comes of them.
package protocol StateMachine {
    associatedtype Event
    associatedtype Action

    /// Takes an event that came at `now`, and appends what is to be done.
    mutating func handle(_ event: Event, _ now: MonotonicInstant, into actions: inout [Action])

    /// When it wants to hear that time passed, at the latest; nil: it waits for something else.
    var nextWake: MonotonicInstant? { get }
}

extension StateMachine {
    /// Takes an event that came at `now`, and returns what is to be done.
    package mutating func handle(_ event: Event, _ now: MonotonicInstant) -> [Action] {
        var actions: [Action] = []
        handle(event, now, into: &actions)
        return actions
    }
}
