import Dispatch
import PushCampaign
import PushLocking
import PushTerminal
import PushTransport

/// Connects to all addresses of a name at the same time, and reports the result for each. Sends nothing.
final class AddressProbe: Sendable {
    /// How long to wait for the others once one is connected.
    private static let patience = 2.0
    private static let mostAddresses = 16

    /// Words for the system's common errors.
    private static let words = [
        "ECONNREFUSED": "refused", "ETIMEDOUT": "no answer", "ENETUNREACH": "no route to its network",
        "EHOSTUNREACH": "no route to it", "ECONNRESET": "reset",
    ]

    private struct State {
        var results: [Int: DoctorFacts.Address] = [:]
        var running: [Int: any Cancellable] = [:]
        var isHurried = false
        var completion: (@Sendable ([DoctorFacts.Address]) -> Void)?
    }

    private let literals: [String]
    private let port: Int
    private let queue: DispatchQueue
    private let watch = Stopwatch()
    private let state = Locked(State())

    /// - Parameter queue: A serial queue.
    init(_ literals: [String], port: Int, on queue: DispatchQueue) {
        self.literals = Array(literals.prefix(Self.mostAddresses))
        self.port = port
        self.queue = queue
    }

    /// One entry for each address, in their order, shortly after the time limit at the latest.
    func run(within limit: Duration) async -> [DoctorFacts.Address] {
        await withHandOver { handOver in
            state.withLock { $0.completion = { handOver.resume(returning: $0) } }
            queue.async { self.start(limit) }
        }
    }

    private func start(_ limit: Duration) {
        let connector = SocketConnector()
        for (index, literal) in literals.enumerated() {
            let attempt = connector.connect(to: Endpoint(host: literal, port: port), on: queue) { result in
                switch result {
                case .success(let channel):
                    channel.close()
                    self.record(index, nil)
                case .failure(let error): self.record(index, Self.words[error.code.name] ?? error.code.name)
                }
            }
            state.withLock { $0.running[index] = attempt }
        }
        queue.asyncAfter(deadline: .now() + limit / .seconds(1)) { self.stopWaiting() }
    }

    private func record(_ index: Int, _ problem: String?) {
        let address = DoctorFacts.Address(literals[index], after: watch.elapsed, problem: problem)
        let (completion, hurries) = state.withLock { state in
            state.running[index] = nil
            state.results[index] = address
            let hurries = problem == nil && !state.isHurried
            if hurries { state.isHurried = true }
            guard state.results.count == literals.count else { return (nil, hurries) as Ending }
            defer { state.completion = nil }
            return (state.completion, hurries) as Ending
        }
        if let completion {
            completion(state.withLock { state in literals.indices.compactMap { state.results[$0] } })
        } else if hurries {
            queue.asyncAfter(deadline: .now() + Self.patience) { self.stopWaiting() }
        }
    }

    private typealias Ending = (completion: (@Sendable ([DoctorFacts.Address]) -> Void)?, hurries: Bool)

    private func stopWaiting() {
        let running = state.withLock { $0.running }
        for (index, attempt) in running {
            attempt.cancel()
            record(index, "no answer")
        }
    }
}
