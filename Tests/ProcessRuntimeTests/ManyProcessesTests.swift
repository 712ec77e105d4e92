import Dispatch
import Glibc
import ProcessRuntime
import PushLocking
import Testing

@Suite(.timeLimit(.minutes(5))) struct ManyProcessesTests {
    /// Passes a number on to the next process, around a ring.
    private final class Link: Behavior {
        enum Message: Sendable {
            case next(Address<Message>)
            case pass(Int)
        }

        private var next: Address<Message>?
        private let finished: @Sendable () -> Void

        init(_ finished: @escaping @Sendable () -> Void) { self.finished = finished }

        func receive(_ message: Message, in context: ProcessContext<Message>) {
            switch message {
            case .next(let address): next = address
            case .pass(0): finished()
            case .pass(let hops): next?.send(.pass(hops - 1))
            }
        }
    }

    @Test("10,000 processes run on few threads, in a program that does nothing else")
    func tenThousandProcessesRunOnFewThreads() async {
        await #expect(processExitsWith: .success) {
            let system = ProcessSystem()
            let finished = Recorder<Void>()
            let links = (0..<10_000).map { _ in system.spawn(label: "link") { Link { finished.record(()) } } }
            for index in links.indices { links[index].send(.next(links[(index + 1) % links.count])) }
            for link in links { link.send(.pass(20)) }
            var mostThreads = 0
            for _ in 0..<100 {
                _ = await finished.next(100)
                mostThreads = max(mostThreads, Self.threadCount())
            }
            mostThreads = max(mostThreads, Self.threadCount())
            #expect(finished.all.count == 10_000)
            // The cores, and the pools of Dispatch and of Swift's tasks; far from a thread each.
            #expect(mostThreads < 200, "\(mostThreads) threads")
            for link in links { system.exit(link.pid, .killed) }
            // The reasons of the earliest may be forgotten when we ask; that they ended may not.
            for link in links { _ = await system.down(link.pid) }
            #expect(system.processes.isEmpty)
            #expect(system.deadLetters == 0)
        }
    }

    private static func threadCount() -> Int {
        guard let directory = opendir("/proc/self/task") else { return .max }
        defer { closedir(directory) }
        var count = -2  // "." and "..".
        while readdir(directory) != nil { count += 1 }
        return count
    }
}
