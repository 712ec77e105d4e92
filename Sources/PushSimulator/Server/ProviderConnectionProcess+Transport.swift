import ProcessRuntime
import PushHTTP2
import PushTransport

/// What comes from the network.
extension ProviderConnectionProcess: TransportDelegate {
    func transportEstablished(_ transport: TLSTransport) {
        dribbling?.hurry()
        context?.perform { try begin(transport) }
    }

    func transport(_ transport: TLSTransport, received plaintext: UnsafeRawBufferPointer) {
        if handshakeEndsAt != nil {
            handshakeEndsAt = nil
            // Before the provider sees that it is served: who waits for a timer of the simulator then finds no old one.
            armTimer()
        }
        followOrders()
        guard let session, machine?.isDeaf == false, machine?.isOver == false else { return }
        // If a client breaks HTTP/2, the session sends a GOAWAY. What came before is still handled.
        try? session.receive(plaintext, into: &events)
        handleEvents()
    }

    func transportDrained(_ transport: TLSTransport) {
        context?.perform {}
    }

    func transportHasRoom(_ transport: TLSTransport) {
        context?.perform {}
    }

    func transport(_ transport: TLSTransport, closed error: TransportError?) {
        handshakeEndsAt = nil
        exit()
    }

    /// TLS is established: the provider is known, and the first SETTINGS are sent.
    private func begin(_ transport: TLSTransport) throws {
        core.ledger.change { $0.handshakes += 1 }
        core.ledger.note(id, .established, wallClock: core.system.time.wallClockMilliseconds)
        let (authentication, refusal) = transport.authentication(in: core.policy.environment)
        var machine = ProviderConnectionMachine(
            id, authentication, policy: core.policy, orders: core.faults.current, seed: core.seed,
            now: core.system.time.now.nanoseconds, keepsRequests: core.ledger.keepsRecords)
        machine.countsMetrics = core.countsMetrics
        session = try ServerSession(
            core.configuration.settings.session(
                streamLimit: machine.streamLimit,
                maxBodyBytes: service == .management ? ChannelChecks.bodyLimit : core.ledger.longestPayload))
        let now = core.system.time.now.nanoseconds
        for fault in core.configuration.settings.windowFaults { machine.perform(fault, now: now, into: &actions) }
        if machine.facts.hasCredential { activity.noteRequest(now: now) }
        machine.connected(refusing: refusal, now: now, into: &actions, fire: fire)
        for fault in early { machine.perform(fault, now: now, into: &actions) }
        early = []
        self.machine = machine
        act()
    }
}
