import Dispatch
import Glibc
import ProcessRuntime
import PushLocking
import PushTerminal
import SupervisedPush
import Testing

@testable import pushctl

/// Serialized: signals go to the whole program.
@Suite(.serialized) struct EndingTests {
    @Test func anErrorIsOneLineWhateverItNames() {
        let error = CommandError.input("cannot read a\nb\u{1B}[31m\u{202E}.csv:  gone")
        #expect(error.line == "pushctl: cannot read a b [31m .csv:  gone")
    }

    @Test func exitCodesAreThePromisedOnes() {
        #expect(ExitStatus.allCases.map(\.rawValue) == [0, 1, 2, 64, 66, 69, 77, 78, 129, 130, 143])
    }

    @Test func aSignalBeforeDispatchListensIsNotLost() {
        _ = EarlySignals.take(SIGUSR1)
        EarlySignals.note(SIGUSR1)
        #expect(!EarlySignals.take(SIGUSR2))
        #expect(EarlySignals.take(SIGUSR1))
        #expect(!EarlySignals.take(SIGUSR1))
    }

    @Test(.timeLimit(.minutes(5)))
    func aSignalInsistsOnceASecondHasPassed() async {
        let (calls, continuation) = AsyncStream<String>.makeStream()
        let clock = Locked(MonotonicInstant(nanoseconds: 0))
        let received = DispatchSemaphore(value: 0)
        let watcher = SignalWatcher(
            now: {
                received.signal()
                return clock.withLock { $0 }
            },
            onFirst: { continuation.yield("first \($0.name)") }, onInsisting: { continuation.yield("insisting") },
            onOverdue: { continuation.yield("overdue \($0.name)") })
        var iterator = calls.makeAsyncIterator()
        for (number, second) in [(SIGTERM, 0), (SIGTERM, 0), (SIGINT, 0), (SIGINT, 1), (SIGINT, 2)] {
            clock.withLock { $0 = MonotonicInstant(nanoseconds: Int64(second) * 1_000_000_000) }
            _ = kill(getpid(), number)
            received.wait()
        }
        #expect(await iterator.next() == "first SIGTERM")
        #expect(await iterator.next() == "insisting")
        // Nothing ended this program, which is said last.
        #expect(await iterator.next() == "overdue SIGTERM")
        #expect(watcher.first == .terminate)
    }

    @Test func aSignalThatIsIgnoredAtTheStartStaysIgnored() {
        _ = signal(SIGHUP, SIG_IGN)
        defer { _ = signal(SIGHUP, SIG_DFL) }
        let watcher = SignalWatcher(onFirst: { _ in }, onInsisting: {}, onOverdue: { _ in })
        // Its default action would end this program.
        _ = kill(getpid(), SIGHUP)
        #expect(watcher.first == nil)
    }

    @Test func anErrorOfTheMachineIsNotBlamedOnTheFile() {
        #expect(SystemError.remedy(EMFILE)?.contains("ulimit -n") == true)
        #expect(SystemError.remedy(ENFILE) != nil && SystemError.remedy(ENOENT) == nil)
    }
}
