import Dispatch
import PushLocking
import PushSimulator

/// A JSON line for every request that a simulator processed, written several times a second.
///
/// The ledger keeps a bounded number of pushes and of requests about channels until they are written. A slow disk loses
/// lines instead of using more memory; the log says how many.
final class RequestLog: Sendable {
    static let capacity = 200_000
    /// The beginning of every line.
    static let beginning = #"{"connection":"#

    private struct State {
        let file: File
        var written = 0
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

    init(_ output: consuming sending OutputFile) { state = Locked(State(file: File(output))) }

    func follow(_ ledger: Ledger) {
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "pushctl.log"))
        timer.schedule(deadline: .now(), repeating: .milliseconds(50), leeway: .milliseconds(10))
        timer.setEventHandler { [weak self] in self?.write() }
        state.withLock {
            $0.ledger = ledger
            $0.timer = timer
        }
        timer.activate()
    }

    /// Writes the rest. Returns the error, if there was one.
    func finish() -> CommandError? {
        write()
        return state.withLock { state in
            state.timer?.cancel()
            let lost = (state.ledger?.snapshot.requests ?? 0) - state.written
            guard state.failure == nil, lost > 0 else { return state.failure }
            return CommandError(.unknown, "\(Figures.grouped(lost)) requests are missing in \(state.file.output.name)")
        }
    }

    private func write() {
        state.withLock { state in
            guard let pushes = state.ledger?.takeRecords(), let channels = state.ledger?.takeChannelRecords(),
                state.failure == nil
            else { return }
            let count = pushes.count + channels.count
            guard count > 0 else { return }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(256 * count)
            for record in pushes { record.append(to: &bytes) }
            for record in channels { record.append(to: &bytes) }
            do throws(CommandError) {
                try state.file.output.write(bytes)
                state.written += count
            } catch {
                state.failure = error
            }
        }
    }
}

extension Ledger.Record {
    fileprivate func append(to bytes: inout [UInt8]) {
        var object = JSONLine()
        object.add("connection", connection.number)
        object.add("stream", stream)
        object.add("token", deviceToken)
        object.add("apns_id", apnsID)
        object.add("topic", topic)
        object.add("status", status)
        object.add("reason", refusal?.rawValue)
        object.append(to: &bytes)
    }
}

extension Ledger.ChannelRecord {
    fileprivate func append(to bytes: inout [UInt8]) {
        var object = JSONLine()
        object.add("connection", connection.number)
        object.add("stream", stream)
        object.add("action", action?.rawValue)
        object.add("bundle_id", bundleID)
        object.add("channel", channelID)
        object.add("request_id", requestID)
        object.add("status", status)
        object.add("reason", refusal?.rawValue)
        object.append(to: &bytes)
    }
}

extension Ledger.Snapshot {
    fileprivate var requests: Int { pushes + broadcasts.requests + channelRequests.requests }
}
