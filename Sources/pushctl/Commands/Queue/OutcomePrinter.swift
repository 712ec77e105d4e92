import ArgumentParser
import FoundationEssentials
import PushCampaign
import PushLocking
import PushQueue
import PushTerminal
import SupervisedPush

/// Prints the outcomes of a queue.
struct OutcomePrinter {
    /// The columns of CSV.
    static let header =
        "id,index,token,outcome,status,reason,apns_id,timestamp,attempts,certainty,invalidated_at,ended_at,campaign\n"

    private let queue: QueueOptions
    private let options: OutcomeListOptions
    private let list: OutcomeList
    private let isPrinted: @Sendable (QueueOutcome) -> Bool

    init(of list: OutcomeList, in queue: QueueOptions, _ options: OutcomeListOptions, now: Date = Date()) {
        self.queue = queue
        self.options = options
        self.list = list
        isPrinted = options.filter.predicate(now)
    }

    func run() async throws {
        let signal = Locked<StopSignal?>(nil)
        _ = SignalWatcher.forCommand(onFirst: { first in signal.withLock { $0 = first } }, onInsisting: {})
        var unreadable = UnreadableOutcomes()
        let subject = PositionFile.Subject(list, of: queue.name, in: try queue.location())
        var file = try options.positionFile.map { path throws(CommandError) in try PositionFile(path, of: subject) }
        try await OpenQueue.with(queue) { queue in
            var head = options.json ? [] : Array(Self.header.utf8)
            var follower = OutcomeFollower(
                queue.store, list, after: try await start(queue.store, file), marking: !options.filter.isSet)
            var outage = Outage()
            // Behind the last row that was written.
            var written: String?
            defer {
                if let line = unreadable.rest { StandardError.write(line) }
                if let written { StandardError.write("pushctl: go on with --after \(written)") }
            }
            while signal.withLock({ $0 }) == nil {
                guard let page = try await next(&follower, &outage) else {
                    try await Task.sleep(for: OutcomeWait.retryPause)
                    continue
                }
                try print(head + bytes(page))
                try file?.store(follower.position)
                for line in unreadable.lines(page) { StandardError.write(line) }
                head = []
                written = follower.position
                guard page.isEmpty else { continue }
                guard options.follow else { break }
                try await Task.sleep(for: OutcomeFollower.pause)
            }
        }
        if let signal = signal.withLock({ $0 }) { throw ExitCode(signal.status.rawValue) }
        if unreadable.count > 0 { throw ExitCode(ExitStatus.unknown.rawValue) }
    }

    /// A consumer must get each row, so one that has gone is an error. Others have read enough.
    private func print(_ bytes: [UInt8]) throws {
        if options.follow || options.positionFile != nil {
            try OutputFile.standardOutput.write(bytes)
        } else {
            try Listing.print(bytes)
        }
    }

    /// Whether the queue answers.
    private struct Outage {
        /// It has answered once, so a later silence is waited out.
        var mayBegin = false
        var isOn = false
    }

    /// The next outcomes; nil while a queue that is followed does not answer.
    private func next(_ follower: inout OutcomeFollower, _ outage: inout Outage) async throws -> OutcomePage? {
        do throws(QueueError) {
            let page = try await follower.next()
            outage = Outage(mayBegin: options.follow)
            return page
        } catch {
            if error.code == .unreachable, outage.mayBegin {
                if !outage.isOn { StandardError.write(OutcomeWait.askingAgain(error)) }
                outage.isOn = true
                return nil
            }
            // The position does not have the form of those that the queue returns.
            guard error.code == .invalidEntry, let flag = options.positionFlag else { throw error }
            throw CommandError.usage("\(flag): \(error)")
        }
    }

    private func start(_ store: any PushQueueReader, _ file: PositionFile?) async throws(QueueError) -> String? {
        if let file { return file.position }
        return options.after == "end" ? try await store.lastPosition(of: list) : options.after
    }

    func bytes(_ page: OutcomePage) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, outcome) in page.outcomes.enumerated() where isPrinted(outcome) {
            if options.json {
                bytes += outcome.row
                if page.positions.indices.contains(index) {
                    bytes.removeLast()
                    bytes += Array(",\"position\":\"\(page.positions[index])\"}".utf8)
                }
                bytes.append(ASCII.lineFeed)
            } else {
                bytes += Array("\(outcome.entry),".utf8)
                // The index stands where the line of a record does.
                OutcomeRow(line: outcome.index, outcome).appendCSV(to: &bytes)
                bytes.removeLast()
                let ended = outcome.endedAt.map { Self.seconds($0.unixMilliseconds) } ?? ""
                let campaign = outcome.campaign?.description ?? ""
                let invalidated = outcome.invalidatedAt.map { "\($0.unixSeconds)" } ?? ""
                bytes += Array(",\(invalidated),\(ended),\(campaign)\n".utf8)
            }
        }
        return bytes
    }

    /// Seconds with three decimals.
    private static func seconds(_ milliseconds: Int64) -> String {
        let rest = String(1_000 + milliseconds % 1_000).dropFirst()
        return "\(milliseconds / 1_000).\(rest)"
    }
}
