import SupervisedPush

/// Waiting for a connection in a test, under the system's clocks and under a manual clock.
extension PushConnection {
    /// Waits until the connection is as the test needs it; returns at once, if it is so already.
    ///
    /// ```swift
    /// async let answer = orders.push(gate, to: .simulated())
    /// try await orders.wait { $0.waiting == 1 }
    /// time.advance(by: .seconds(10))
    /// ```
    /// The status has the load, too: `waiting`, `retrying` and `inFlight`. It is looked at
    /// again and again, every 50 ms at least. So wait for what lasts: a state that passes by itself may pass unseen.
    ///
    /// - Parameters:
    ///   - timeout: The longest time to wait, in real time. 30 s by default.
    ///   - fileID: The file that the error names. Default: yours.
    ///   - line: The line that the error names. Default: yours.
    ///   - isolation: Where `isReached` runs. Default: your actor.
    ///   - isReached: Whether the connection is as needed. Called at least once.
    /// - Returns: The status that was as needed.
    /// - Throws: ``TimeLimitExceeded`` with the status at the end, `CancellationError` if the task was cancelled, and what
    ///   `isReached` throws.
    @discardableResult
    public func wait(
        within timeout: Duration = .seconds(30), fileID: String = #fileID, line: Int = #line,
        isolation: isolated (any Actor)? = #isolation, until isReached: (ConnectionStatus) throws -> Bool
    ) async throws -> ConnectionStatus {
        try await wait("what \(fileID):\(line) waits for", within: timeout, isolation: isolation, until: isReached)
    }

    /// Waits until the connection has this phase: `.down`, to be sure that it has noticed a cut; `.up`, once it is up again.
    ///
    /// ```swift
    /// apple.refuseConnections()
    /// await apple.cutConnections()
    /// try await orders.wait(for: .down)
    /// ```
    /// A phase that lasts a moment may pass unseen: refuse connections before a cut.
    ///
    /// - Parameters:
    ///   - phase: The phase.
    ///   - timeout: The longest time to wait, in real time. 30 s by default.
    ///   - isolation: Where the call runs. Default: your actor.
    /// - Returns: The status with that phase.
    /// - Throws: ``TimeLimitExceeded`` with the status at the end, `CancellationError` if the task was cancelled.
    @discardableResult
    public func wait(
        for phase: ConnectionPhase, within timeout: Duration = .seconds(30),
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> ConnectionStatus {
        try await wait("the phase \(phase.rawValue)", within: timeout, isolation: isolation) { $0.phase == phase }
    }

    private func wait(
        _ aim: String, within timeout: Duration, isolation: isolated (any Actor)?,
        until isReached: (ConnectionStatus) throws -> Bool
    ) async throws -> ConnectionStatus {
        // A connection tells nobody of its load, because that would cost every push. A look costs some microseconds.
        var latest = status
        let isReached = try await look(within: timeout, isolation: isolation) {
            latest = status
            return try isReached(latest)
        }
        guard isReached else {
            throw TimeLimitExceeded(
                description: "The connection did not come to \(aim) within \(timeout). At the end: \(latest)")
        }
        return latest
    }
}
