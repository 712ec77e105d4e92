import Dispatch
import Glibc
import PushTerminal

/// When a status area is drawn, and when it goes.
extension StatusScreen {
    /// Shows how a run stands, several times a second. Cancel the timer at the end.
    func showing(_ status: @escaping @Sendable () -> RunStatus) -> any DispatchSourceTimer {
        let queue = DispatchQueue(label: "pushctl.ticks", target: .global(qos: .userInteractive))
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: .milliseconds(200), leeway: .milliseconds(50))
        timer.setEventHandler { [self] in show(status()) }
        timer.activate()
        return timer
    }

    /// Says how a run stands when SIGUSR1 asks for it.
    func answerSnapshots(_ snapshot: @escaping @Sendable () -> LogLine) {
        SignalSources([SIGUSR1], on: Self.signals) { [self] _ in say(snapshot()) }.keep()
    }

    /// Removes the area at Ctrl-Z, because the shell writes where it is. After `fg` it is drawn again.
    func leaveRoomWhileStopped() {
        guard isLive, !SignalSources.isIgnored(SIGTSTP), Self.hasJobControl else { return }
        SignalSources([SIGTSTP], on: Self.signals) { [self] _ in
            // `raise` returns after the stop. `kill` may return before it, and the area could come back.
            pause { _ = raise(SIGSTOP) }
        }.keep()
    }

    private static let signals = DispatchQueue(label: "pushctl.snapshots", target: .global(qos: .userInteractive))

    /// Whether a shell could continue the program. The kernel discards SIGTSTP where none can, and so must this.
    private static var hasJobControl: Bool {
        getsid(getppid()) == getsid(0) && getpgid(getppid()) != getpgrp()
    }
}
