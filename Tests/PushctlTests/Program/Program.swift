import Foundation
import Locking

/// The built `pushctl` as a process of its own, its output line by line.
final class Program: @unchecked Sendable {
    // Sendable: `process` is set up before anybody else sees it and asked through thread-safe calls only.

    struct End {
        let status: Int32
        let output: [String]
        let errors: [String]

        /// The rows of a CSV on standard output, without its header.
        var rows: [[String]] {
            output.dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        }
    }

    enum Event {
        case output(String)
        case error(String)
        case exit(Int32)
    }

    private let process = Process()
    private let input = Pipe()
    private let events: AsyncStream<Event>
    private let seen = Locked<(output: [String], errors: [String], status: Int32?)>(([], [], nil))

    /// - Parameter feedsInput: whether standard input is a pipe that `feed` writes to; otherwise it is empty.
    init(_ arguments: [String], feedsInput: Bool = false) throws {
        let (events, continuation) = AsyncStream<Event>.makeStream()
        self.events = events
        process.executableURL = Self.binary
        process.arguments = arguments
        process.environment = ["PATH": "/usr/bin:/bin", "TMPDIR": NSTemporaryDirectory()]
        process.standardInput = feedsInput ? input : FileHandle.nullDevice
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        let ended = DispatchGroup()
        process.terminationHandler = { _ in ended.leave() }
        ended.enter()
        try process.run()
        Self.read(output, ended) { continuation.yield(.output($0)) }
        Self.read(errors, ended) { continuation.yield(.error($0)) }
        ended.notify(queue: .global()) { [process] in
            let isSignal = process.terminationReason == .uncaughtSignal
            continuation.yield(.exit(isSignal ? -process.terminationStatus : process.terminationStatus))
            continuation.finish()
        }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Waits for a line of either output that holds the text; nil if the program ended before, or the test's time did.
    func line(with text: String) async -> String? {
        let known = seen.withLock { ($0.output + $0.errors).first { $0.contains(text) } }
        if let known { return known }
        for await event in events {
            note(event)
            switch event {
            case .output(let line), .error(let line): if line.contains(text) { return line }
            case .exit: return nil
            }
        }
        return nil
    }

    /// Waits for so many lines of standard output.
    func lines(_ count: Int) async -> Bool {
        if seen.withLock({ $0.output.count >= count }) { return true }
        for await event in events {
            note(event)
            if seen.withLock({ $0.output.count >= count }) { return true }
        }
        return false
    }

    /// Waits for the end.
    func end() async -> End {
        for await event in events { note(event) }
        return seen.withLock { End(status: $0.status ?? -999, output: $0.output, errors: $0.errors) }
    }

    func feed(_ text: String) throws { try input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

    func closeInput() throws { try input.fileHandleForWriting.close() }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    private func note(_ event: Event) {
        seen.withLock { seen in
            switch event {
            case .output(let line): seen.output.append(line)
            case .error(let line): seen.errors.append(line)
            case .exit(let status): seen.status = status
            }
        }
    }

    /// Reads whenever there is something, without a thread that waits: other tests count the threads of this process.
    private static func read(_ pipe: Pipe, _ ended: DispatchGroup, _ found: @escaping @Sendable (String) -> Void) {
        let rest = Locked(Data())
        ended.enter()
        pipe.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            let lines = rest.withLock { rest in
                rest += data
                var lines: [String] = []
                while let end = rest.firstIndex(of: 0x0A) {
                    lines.append(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
                if data.isEmpty, !rest.isEmpty { lines.append(String(decoding: rest, as: UTF8.self)) }
                return lines
            }
            for line in lines { found(line) }
            guard data.isEmpty else { return }
            handle.readabilityHandler = nil
            ended.leave()
        }
    }

    /// The program stands beside the test bundle.
    private static let binary = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("pushctl")
}
