import Dispatch
import PushCampaign
import PushInspection
import PushLocking
import PushSimulator
import PushTerminal

/// Follows the requests that a simulator processed, several times a second: a JSON line for each in a file, a line for a
/// person, or both.
///
/// The ledger keeps a bounded number of requests until they are taken. A slow disk loses lines instead of using more
/// memory; the log says how many.
final class RequestLog: Sendable {
    /// The beginning of every line of the file.
    static let beginning = #"{"connection":"#

    private struct State {
        let file: File?
        var taken = 0
        var failure: CommandError?
        var timer: (any DispatchSourceTimer)?
        var ledger: Ledger?
    }

    /// The file cannot be copied, so it is stored in a class.
    private final class File {
        let output: OutputFile
        init(_ output: consuming OutputFile) { self.output = output }
    }

    private let state: Locked<State>
    private let lines: LiveLines?

    /// - Parameters:
    ///   - output: The file; nil if there is none.
    ///   - lines: The lines for a person; nil if they are not shown.
    init(_ output: consuming sending OutputFile?, _ lines: LiveLines?) {
        let file: File? = if let output { File(output) } else { nil }
        state = Locked(State(file: file))
        self.lines = lines
    }

    /// What the ledger must keep.
    ///
    /// - Parameters:
    ///   - hasFile: Whether whole requests are written to a file.
    ///   - hasLines: Whether a person sees a line for each.
    static func detail(hasFile: Bool, hasLines: Bool) -> Ledger.Detail {
        guard hasFile else { return Ledger.Detail(distinctKeys: 0, records: hasLines ? 50_000 : 0, bytes: 64 << 20) }
        var detail = Ledger.Detail(distinctKeys: 0, records: 200_000, bytes: 256 << 20, keepsPayloads: true)
        detail.keepsHeaders = true
        return detail
    }

    func follow(_ ledger: Ledger) {
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "pushctl.log"))
        timer.schedule(deadline: .now(), repeating: .milliseconds(50), leeway: .milliseconds(10))
        timer.setEventHandler { [weak self] in self?.take() }
        state.withLock {
            $0.ledger = ledger
            $0.timer = timer
        }
        timer.activate()
    }

    /// Writes the rest. Returns the error, if there was one.
    func finish() -> CommandError? {
        take()
        lines?.finish()
        return state.withLock { state in
            state.timer?.cancel()
            let lost = (state.ledger?.snapshot.requests ?? 0) - state.taken
            guard state.failure == nil, lost > 0 else { return state.failure }
            let place = state.file?.output.name ?? "standard error"
            return CommandError(.unknown, "\(Figures.grouped(lost)) requests are missing in \(place)")
        }
    }

    private func take() {
        state.withLock { state in
            guard let pushes = state.ledger?.takeRecords(), let channels = state.ledger?.takeChannelRecords() else {
                return
            }
            write(pushes, &state)
            write(channels, &state)
        }
    }

    /// A request's line on standard error.
    private static func text(of request: some LoggedRequest) -> String {
        StandardError.isJSON
            ? StandardError.rendered(LogLine(request.text, .info, [.init("request", .json(request.line))]))
            : request.text
    }

    private func write(_ requests: [some LoggedRequest], _ state: inout State) {
        var rest = requests[...]
        while !rest.isEmpty {
            // In parts, so that their lines take little memory.
            let part = rest.prefix(1_000)
            rest = rest.dropFirst(part.count)
            state.taken += part.count
            if let lines { for request in part { lines.add(Self.text(of: request)) } }
            guard let file = state.file, state.failure == nil else { continue }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(1_024 * part.count)
            for request in part { bytes += request.line }
            do throws(CommandError) { try file.output.write(bytes) } catch { state.failure = error }
        }
    }
}

extension Ledger.Snapshot {
    fileprivate var requests: Int { pushes + broadcasts.requests + channelRequests.requests }
}
