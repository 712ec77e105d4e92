/// Faults for a running simulator, which take effect at once. A call that changes answers changes those to pushes that
/// are read from the network after it returns. A call that acts on a connection acts as soon as the connection's
/// process handles it.
extension SimulatedAPNs {
    /// Performs a fault on open connections. Faults of single pushes need a ``FaultRule``.
    public func perform(_ fault: Fault, on selection: ConnectionSelection = .all) {
        if case .addTopic(let topic) = fault { return addTopic(topic) }
        if fault == .deafen { deafen(on: selection) } else { core.tell(.perform(fault), selection) }
    }

    /// Ends open connections, by default with a reset. Pushes without an answer never get one. New connections are
    /// accepted.
    ///
    /// Returns once they are cut and, in memory, once their clients have noticed: a push that is called then is not
    /// written to a connection that is gone. Over sockets a client notices when its kernel tells it, so a push may still
    /// be written before, and its outcome is unknown. Code that cannot wait calls ``perform(_:on:)`` with
    /// `.cut(.reset)`.
    public func cutConnections(_ cut: Fault.Cut = .reset, on selection: ConnectionSelection = .all) async {
        await core.tellAndWait(.perform(.cut(cut)), selection)
    }

    /// Sends GOAWAY on open connections. By default it is that of maintenance: processed pushes are answered, then the
    /// connection ends.
    public func goAway(_ goAway: GoAway = GoAway(), on selection: ConnectionSelection = .all) {
        perform(.goAway(goAway), on: selection)
    }

    /// Announces new SETTINGS on open connections.
    public func changeSettings(_ change: SettingsChange, on selection: ConnectionSelection = .all) {
        perform(.settings(change), on: selection)
    }

    /// From now on, gives body bytes back to the provider at this pace on open connections: ``WindowPace/withhold`` keeps
    /// them, ``WindowPace/prompt`` gives them back again. Future connections need a ``FaultRule`` for
    /// ``FaultRule/Trigger/connected``, or the ``Settings``.
    public func changeWindow(
        _ pace: WindowPace, of scope: WindowScope = .connection, on selection: ConnectionSelection = .all
    ) {
        perform(.window(pace, of: scope), on: selection)
    }

    /// Sends WINDOW_UPDATE on open connections, whatever the pace, and whether as many bytes were read or not.
    ///
    /// - Parameters:
    ///   - bytes: 1…2^31-1. An update that would make a window larger than 2^31-1 is not sent.
    ///   - scope: The window of the connection, by default, or those of all streams with an unfinished request.
    ///   - selection: The connections.
    public func updateWindow(
        by bytes: Int, of scope: WindowScope = .connection, on selection: ConnectionSelection = .all
    ) {
        perform(.windowUpdate(bytes: bytes, of: scope), on: selection)
    }

    /// The team gets an app with this topic: connections that have their first push from now on take it, and earlier ones
    /// refuse it with `TopicDisallowed`. See ``Fault/addTopic(_:)``.
    public func addTopic(_ topic: String) { core.policy.added.add(topic) }

    /// From now on, processes pushes and adds them to the ledger, but holds their answers. PINGs are answered. With
    /// `.all` this also applies to future connections.
    public func holdAnswers(on selection: ConnectionSelection = .all) {
        change { $0.held.add(selection) }
    }

    /// Sends held answers, oldest first.
    ///
    /// - Parameters:
    ///   - count: How many on each connection; later answers are still held. Nil, the default, sends all and holds none
    ///     from then on.
    ///   - selection: The connections. A single connection cannot be excluded from `holdAnswers(on: .all)`: its held
    ///     answers are sent, later ones are held.
    public func releaseAnswers(_ count: Int? = nil, on selection: ConnectionSelection = .all) {
        if count == nil { change { $0.held.remove(selection) } }
        core.tell(.release(count), selection)
    }

    /// From now on, delays every answer. Nil ends the delay for later pushes. Rules in ``faults`` take precedence.
    public func delayAnswers(by latency: Latency?) {
        change { $0.latency = latency }
    }

    /// From now on, writes nothing, not even the answer to a PING, but still processes pushes. With `.all` this also
    /// applies to future connections, after their handshake.
    public func mute(on selection: ConnectionSelection = .all) {
        change { $0.muted.add(selection) }
    }

    /// Writes what muted connections did not write, and ends their mute.
    public func unmute(on selection: ConnectionSelection = .all) {
        change { $0.muted.remove(selection) }
        core.tell(.speak, selection)
    }

    /// From now on, open connections neither process nor write anything, as in a network that drops packets, for as
    /// long as they exist. New connections are served.
    public func deafen(on selection: ConnectionSelection = .all) {
        let open = core.connections.lazy.filter(selection.includes)
        change { $0.deaf.formUnion(open) }
    }

    /// What it does until it is reset, in words that follow "it"; empty if it serves.
    package var standingOrders: [String] {
        let orders = core.faults.current
        let words = [
            (orders.listener == .refusing, "refuses new connections"),
            (orders.listener == .silent, "ignores new connections"),
            (!orders.held.isNone, "holds answers"), (orders.latency != nil, "delays answers"),
            (!orders.muted.isNone, "is mute"), (!orders.deaf.isEmpty, "is deaf"),
        ]
        return words.filter(\.0).map(\.1)
    }

    private func change(_ body: (inout Orders) -> Void) {
        core.faults.change(body)
        core.tell(.ordersChanged, .all)
    }
}
