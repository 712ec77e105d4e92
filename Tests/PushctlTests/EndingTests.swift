import Testing
import pushctl

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

@Suite struct EndingTests {
    @Test func anErrorIsOneLineWhateverItNames() {
        let error = CommandError.input("cannot read a\nb\u{1B}[31m\u{202E}.csv:  gone")
        #expect(error.line == "pushctl: cannot read a b [31m .csv:  gone")
    }

    @Test func exitCodesAreThePromisedOnes() {
        #expect(ExitStatus.allCases.map(\.rawValue) == [0, 1, 2, 64, 66, 69, 77, 78, 130, 143])
    }

    @Test(.timeLimit(.minutes(5)))
    func theFirstSignalAsksAndTheSecondInsists() async {
        let (calls, continuation) = AsyncStream<String>.makeStream()
        let watcher = SignalWatcher(
            onFirst: { continuation.yield("first \($0.name)") }, onSecond: { continuation.yield("second \($0.name)") })
        var iterator = calls.makeAsyncIterator()
        _ = kill(getpid(), SIGTERM)
        #expect(await iterator.next() == "first SIGTERM")
        #expect(watcher.first == .terminate)
        _ = kill(getpid(), SIGINT)
        #expect(await iterator.next() == "second SIGINT")
        #expect(watcher.first == .terminate)
    }
}
