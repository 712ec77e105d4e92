import Dispatch
import Foundation
import PushLocking
import PushSimulator

/// The simulator, in a process of its own: it obeys one word a line from standard input and answers with lines.
///
/// `ready PORT DIRECTORY` – then `calm` ends the trouble and is answered by a line for each kind of it and `calm`, and
/// `report` by the path of the ledger's file. End of input ends the process.
struct SoakServer {
    let connections: Int
    let seed: UInt64

    private static let capacity = 400_000

    func run() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("soak-\(UUID().uuidString)").path
        let credentials = try ThrowAwayCredentials()
        try credentials.write(to: directory)
        defer { try? FileManager.default.removeItem(atPath: directory) }

        var configuration = SimulatedAPNs.Configuration()
        configuration.credentials = credentials
        configuration.ledger = Ledger.Detail(distinctKeys: 0, records: Self.capacity)
        configuration.seed = seed
        let apple = try SimulatedAPNs(configuration)
        let port = try apple.start()
        let book = LedgerKeeper(apple.ledger, connections: connections)
        let trouble = Trouble(apple, seed: seed)
        say("ready \(port) \(directory)")
        trouble.start()
        while let line = readLine() {
            switch line {
            case "calm":
                for (name, count) in trouble.end().sorted(by: { $0.key < $1.key }) { say("trouble \(count) \(name)") }
                say("calm")
            case "report":
                // The client has closed its connections; their ends may still have to be read.
                let end = ContinuousClock.now + .seconds(60)
                while apple.ledger.snapshot.openConnections > 0, ContinuousClock.now < end { usleep(10_000) }
                let path = directory + "/ledger"
                try Data(book.finish().bytes).write(to: URL(fileURLWithPath: path))
                let seen = apple.ledger.snapshot
                say("counts \(seen.pushes) \(seen.connections) \(seen.openConnections)")
                say("report \(path)")
            default: break
            }
        }
        apple.stop()
    }

    private func say(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }
}

/// Takes what the simulator notes into a ledger of bits, many times a second.
final class LedgerKeeper: Sendable {
    private struct State {
        var book: ServerLedger
        var timer: (any DispatchSourceTimer)?
    }

    private let ledger: Ledger
    private let state: Locked<State>

    init(_ ledger: Ledger, connections: Int) {
        self.ledger = ledger
        state = Locked(State(book: ServerLedger(connections: connections)))
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "soak.ledger"))
        timer.schedule(deadline: .now(), repeating: .milliseconds(20))
        timer.setEventHandler { [weak self] in self?.take() }
        state.withLock { $0.timer = timer }
        timer.activate()
    }

    private func take() { state.withLock { $0.book.enter(ledger.takeRecords()) } }

    func finish() -> ServerLedger {
        take()
        return state.withLock { state in
            state.timer?.cancel()
            return state.book
        }
    }
}
