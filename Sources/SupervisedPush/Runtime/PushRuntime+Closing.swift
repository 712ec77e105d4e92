import ProcessRuntime
import PushLocking

/// Ending connections, and the runtime.
extension PushRuntime {
    /// How long after its deadline a caller of `close` waits for a process or a completion that does not end.
    static var closingGrace: Duration { .seconds(1) }

    /// Closes every connection, all at the same time and each as ``PushConnection/close(within:)`` would, and refuses new ones.
    ///
    /// Called again, it joins the first call; a shorter time then holds for both.
    ///
    /// - Returns: what was handed back, of all connections together; to every caller the same.
    @discardableResult
    public func shutdown(within time: Duration = .seconds(10)) async -> HandBack {
        await shutdown(by: now.advanced(by: max(time, .zero)), takesHandBack: true)
    }

    /// - Parameter takesHandBack: whether somebody wants the result; if not, owners are handed back their pushes.
    func shutdown(by deadline: MonotonicInstant, takesHandBack: Bool) async -> HandBack {
        refuseConnections()
        let task = ending.withLock { ending in
            if var earlier = ending {
                earlier.bringForward(to: deadline)
                ending = earlier
                return earlier.task
            }
            let closings = directory.destinations.map {
                Closing($0, by: deadline, system, takesHandBack: takesHandBack)
            }
            let first = Ending(task: Task { await self.end(closings) }, closings: closings, deadline: deadline)
            ending = first
            return first.task
        }
        for destination in directory.destinations { destination.close(by: deadline) }
        return await task.value
    }

    /// A shutdown that has begun.
    struct Ending: Sendable {
        let task: Task<HandBack, Never>
        fileprivate let closings: [Closing]
        fileprivate var deadline: MonotonicInstant

        /// A later call may be shorter, and never longer.
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
        return handBack
    }

    func close(_ destination: any Destination, within time: Duration) async -> HandBack {
        let deadline = now.advanced(by: max(time, .zero))
        return await Self.close(destination, by: deadline, system)
    }

    /// Closes a connection or a pool, also where there is no runtime any more.
    static func close(
        _ destination: any Destination, by deadline: MonotonicInstant, _ system: ProcessSystem
    ) async -> HandBack {
        let closing = Closing(destination, by: deadline, system, takesHandBack: true)
        destination.close(by: deadline)
        return await closing.end()
    }

    /// The wait for the end of one connection or pool.
    fileprivate struct Closing: Sendable {
        private let caller: ClosingCaller
        private let timer: any OneShotTimer

        init(
            _ destination: any Destination, by deadline: MonotonicInstant, _ system: ProcessSystem, takesHandBack: Bool
        ) {
            let caller = ClosingCaller(takesHandBack: takesHandBack)
            self.caller = caller
            destination.whenOver(caller)
            timer = system.time.makeTimer(on: destination.outbox.delivery.timerQueue) {
                // A process hangs, or a completion does. A process is killed; nothing helps against a completion.
                for pid in destination.connections.compactMap(\.pid) { system.exit(pid, .killed) }
                destination.leave(caller)
            }
            wait(until: deadline)
        }

        /// Says how long to wait from now on. Does nothing after the end.
        func wait(until deadline: MonotonicInstant) { timer.arm(at: deadline.advanced(by: closingGrace)) }

        func end() async -> HandBack {
            defer { timer.cancel() }
            return await caller.value()
        }
    }
}
