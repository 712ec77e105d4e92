import Dispatch
import PushCampaign
import PushLocking
import PushTerminal

/// Lines for a person on standard error, written by a thread of its own.
///
/// A terminal that is slow, or that was stopped, delays nothing and costs no memory: lines that do not fit are left out
/// and counted, and the count is shown where they are missing.
final class LiveLines: Sendable {
    static let capacity = 256 << 10

    private struct State {
        var waiting: [UInt8] = []
        var leftOut = 0
        var isWriting = false
    }

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "pushctl.lines")
    private let ended = DispatchGroup()
    private let write: @Sendable ([UInt8]) -> Void

    /// - Parameter write: Writes lines, however long that takes.
    init(_ write: @escaping @Sendable ([UInt8]) -> Void = LiveLines.toStandardError) { self.write = write }

    /// Adds a line, or leaves it out. It does not wait.
    ///
    /// - Parameter line: Made only if there is room.
    func add(_ line: @autoclosure () -> String) {
        let begins = state.withLock { state in
            // After a line that was left out, the next ones are, too, until the count can be shown.
            guard state.leftOut == 0, state.waiting.count < Self.capacity else {
                state.leftOut += 1
                return false
            }
            state.waiting += line().utf8
            state.waiting.append(ASCII.lineFeed)
            guard !state.isWriting else { return false }
            state.isWriting = true
            // Under the lock, so that `finish` waits for every line that was added before.
            ended.enter()
            return true
        }
        guard begins else { return }
        queue.async { [self] in
            writeAll()
            ended.leave()
        }
    }

    /// Waits until everything is written. What is written later would stand among these lines.
    func finish() { ended.wait() }

    private func writeAll() {
        while let bytes = next() { write(bytes) }
    }

    /// Nil if nothing is left to write.
    private func next() -> [UInt8]? {
        state.withLock { state in
            if state.leftOut > 0 {
                state.waiting += Self.notice(state.leftOut).utf8
                state.leftOut = 0
            }
            state.isWriting = !state.waiting.isEmpty
            defer { state.waiting = [] }
            return state.isWriting ? state.waiting : nil
        }
    }

    private static func notice(_ count: Int) -> String {
        let lines = Figures.counted(count, one: "line is", many: "lines are")
        let text = "pushctl: \(lines) left out here, because standard error is slow"
        return StandardError.rendered(LogLine(text, .warning)) + "\n"
    }

    private static let toStandardError: @Sendable ([UInt8]) -> Void = {
        StandardError.writeRaw(String(decoding: $0, as: UTF8.self))
    }
}
