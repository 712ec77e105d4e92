import ProcessRuntime
import PushLocking

/// Ending connections, and the runtime.
extension PushRuntime {
    /// How long a caller of `close` waits beyond its deadline for a process or a completion that does not end.
    static var closingGrace: Duration { .seconds(1) }

    /// Closes all connections at the same time, each as ``PushConnection/close(within:)`` does, and refuses new ones.
    ///
    /// A second call joins the first; a shorter time then applies to both.
    ///
    /// - Parameter time: How long closing may take. Default 10 s. Zero or less ends all connections at once.
    /// - Returns: What all connections handed back. Every caller gets the same.
    @discardableResult
    public func shutdown(within time: Duration = .seconds(10)) async -> HandBack {
        await shutdown(by: now.advanced(by: max(time, .zero)), takesHandBack: true)
    }

    /// - Parameter takesHandBack: Whether the caller wants the result; if not, owners get their pushes back.
    func shutdown(by deadline: MonotonicInstant, takesHandBack: Bool) async -> HandBack {
        refuseConnections()
        let task = ending.withLock { ending in
            if var earlier = ending {
                earlier.bringForward(to: deadline)
                ending = earlier
                return earlier.task
            }
            let closings = registry.destinations.map {
                Closing($0, by: deadline, in: system, takesHandBack: takesHandBack)
            }
            let first = Ending(task: Task { await self.end(closings) }, closings: closings, deadline: deadline)
            ending = first
            return first.task
        }
        for destination in registry.destinations { destination.close(by: deadline) }
        return await task.value
    }

    /// A shutdown that has begun.
    struct Ending: Sendable {
        let task: Task<HandBack, Never>
        fileprivate let closings: [Closing]
        fileprivate var deadline: MonotonicInstant

        /// A later call may bring the deadline forward, never put it off.
        fileprivate mutating func bringForward(to deadline: MonotonicInstant) {
            guard deadline < self.deadline else { return }
            self.deadline = deadline
            for closing in closings { closing.wait(until: deadline) }
        }
    }

    private func end(_ closings: [Closing]) async -> HandBack {
        var handBack = HandBack()
        for closing in closings { handBack.append(await closing.end()) }
        await supervisor.shutdown(within: .seconds(1))
        endObservation()
        return handBack
    }

    func close(_ destination: any Destination, within time: Duration) async -> HandBack {
        let deadline = now.advanced(by: max(time, .zero))
        return await Self.close(destination, by: deadline, in: system)
    }

    /// Closes a connection or a pool, even if the runtime is gone.
    static func close(
        _ destination: any Destination, by deadline: MonotonicInstant, in system: ProcessSystem
    ) async -> HandBack {
        let closing = Closing(destination, by: deadline, in: system, takesHandBack: true)
        destination.close(by: deadline)
        return await closing.end()
    }

    /// The wait for the end of one connection or pool.
    fileprivate struct Closing: Sendable {
        private let caller: ClosingCaller
        private let timer: any OneShotTimer

        init(
            _ destination: any Destination, by deadline: MonotonicInstant, in system: ProcessSystem, takesHandBack: Bool
        ) {
            let caller = ClosingCaller(takesHandBack: takesHandBack)
            self.caller = caller
            destination.whenOver(caller)
            timer = system.time.makeTimer(on: destination.outbox.delivery.timerQueue) {
                // A process or a completion hangs. A process can be killed; a completion cannot.
                for pid in destination.connections.compactMap(\.pid) { system.exit(pid, .killed) }
                destination.leave(caller)
            }
            wait(until: deadline)
        }

        /// Sets until when to wait. Does nothing after the end.
        func wait(until deadline: MonotonicInstant) { timer.arm(at: deadline.advanced(by: closingGrace)) }

        func end() async -> HandBack {
            defer { timer.cancel() }
            return await caller.value()
        }
    }
}
