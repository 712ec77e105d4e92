import Dispatch
import PushCampaign
import PushLocking
import PushTerminal
import SupervisedPush

/// Shows how a campaign stands, several times a second and when SIGUSR1 asks for it.
final class CampaignStatus: Sendable {
    /// What the run is made of.
    struct Parts: Sendable {
        let source: RecordSource
        let run: CampaignRun
        let watch: LinkWatch
        let connection: PushConnection
        let maxOutage: Double
        /// How many records are read at most; nil without a limit.
        let limit: Int?
        /// What it was asked to do, and how many seconds it may still take.
        let stopping: @Sendable () -> RunStatus.Stopping?
    }

    private let parts: Parts
    private let screen: StatusScreen
    private let stopwatch: Stopwatch
    private let history = Locked(RateHistory())

    init(_ parts: Parts, screen: StatusScreen, stopwatch: Stopwatch) {
        self.parts = parts
        self.screen = screen
        self.stopwatch = stopwatch
    }

    /// Begins. Cancel the timer at the end.
    func begin() -> any DispatchSourceTimer {
        screen.answerSnapshots { [self] in
            let status = status
            return StandardError.isJSON
                ? StatusText.record(status) : LogLine(StatusText.snapshot(status, at: UTC.timestamp))
        }
        screen.leaveRoomWhileStopped()
        return screen.showing { [self] in status }
    }

    private var status: RunStatus {
        let (standing, read, load) = (parts.run.standing, parts.source.position, parts.connection.load)
        var status = RunStatus()
        status.seconds = stopwatch.seconds
        status.tally = standing.tally
        status.held = standing.held
        let open = max(0, read.records - standing.tally.total - standing.held)
        status.inFlight = min(open, load.inFlight)
        status.waiting = open - status.inFlight
        status.share = share(read, standing.tally.total)
        (status.rate, status.rates, status.secondsLeft) = history.withLock { history in
            history.note(settled: status.tally.total, share: status.share, at: status.seconds)
            return (history.rate(), history.rates, history.secondsLeft)
        }
        status.stopping = parts.stopping()
        status.links = parts.watch.standing(total: parts.connection.members.count)
        if status.stopping == nil, let down = status.links.downFor { status.links.givesUpIn = parts.maxOutage - down }
        return status
    }

    /// Bytes read, without those of pushes that have not ended, relative to the size; or records, if they are limited.
    private func share(_ read: RecordSource.Position, _ settled: Int) -> Double? {
        let ofLimit = parts.limit.map { Double(settled) / Double($0) }
        guard let size = parts.source.file.size, size > 0 else { return ofLimit.map { min(1, $0) } }
        let ended = read.records > 0 ? Double(settled) / Double(read.records) : 0
        return min(1, max(ofLimit ?? 0, Double(read.bytes) / Double(size) * ended))
    }
}
