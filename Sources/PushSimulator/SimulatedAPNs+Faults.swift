/// What can be done to a running simulator, at once. The answers a call is about to change are those of pushes that are read from the network
/// after it returned, and for what is done to a connection: as soon as that connection's process comes to it.
extension SimulatedAPNs {
    /// Does one thing to connections that are open. Faults for single pushes need a ``FaultRule``.
    public func perform(_ fault: Fault, on selection: ConnectionSelection = .all) {
        core.tell(.perform(fault), selection)
    }

    /// Ends open connections, by default with a reset: what was not answered never is. New connections are accepted.
    public func cutConnections(_ cut: Fault.Cut = .reset, on selection: ConnectionSelection = .all) {
        perform(.cut(cut), on: selection)
    }

    /// Sends GOAWAY on open connections, by default as for maintenance: what was processed is answered, then the connection ends.
    public func goAway(_ goAway: GoAway = GoAway(), on selection: ConnectionSelection = .all) {
        perform(.goAway(goAway), on: selection)
    }

    /// Announces new SETTINGS on open connections.
    public func changeSettings(_ change: SettingsChange, on selection: ConnectionSelection = .all) {
        perform(.settings(change), on: selection)
    }

    /// From now on pushes are processed and entered in the ledger, and their answers kept back. PINGs are answered. With `.all` it holds for
    /// later connections too.
    public func holdAnswers(on selection: ConnectionSelection = .all) {
        change { $0.held.add(selection) }
    }

    /// Gives answers that were kept back, oldest first.
    ///
    /// - Parameters:
    ///   - count: How many on each connection; what comes later is still kept back. Nil, the default, gives all and keeps none back any more.
    ///   - selection: Where. A single connection cannot be excepted from `holdAnswers(on: .all)`: its waiting answers are given, later ones kept.
    public func releaseAnswers(_ count: Int? = nil, on selection: ConnectionSelection = .all) {
        if count == nil { change { $0.held.remove(selection) } }
        core.tell(.release(count), selection)
    }

    /// Every answer takes so long from now on; nil ends it for later pushes. Rules of ``faults`` come first.
    public func delayAnswers(by latency: Latency?) {
        change { $0.latency = latency }
    }

    /// From now on nothing is written, not even PING's answer, while pushes are still processed: a stall. With `.all` it holds for later
    /// connections too, after their handshake.
    public func mute(on selection: ConnectionSelection = .all) {
        change { $0.muted.add(selection) }
    }

    /// Everything that a mute connection did not say is written now.
    public func unmute(on selection: ConnectionSelection = .all) {
        change { $0.muted.remove(selection) }
        core.tell(.speak, selection)
    }

    /// Open connections stop reading and writing without a sign: a network that drops packets. For as long as they live;
    /// new connections are served.
    public func deafen(on selection: ConnectionSelection = .all) {
        perform(.deafen, on: selection)
    }

    private func change(_ body: (inout Orders) -> Void) {
        core.faults.change(body)
        core.tell(.ordersChanged, .all)
    }
}
