import PushCampaign
import PushTerminal

/// The facts at the end of a run, which determine its exit status.
struct RunEnd: Sendable {
    /// The first signal that asked the run to end.
    var signal: StopSignal?
    /// An error that ended the run or kept it from starting: usage, input or configuration.
    var error: CommandError?
    var credentialWasRefused = false
    /// The sender of all pushes was refused for too long, which ended the run, whatever it delivered before.
    var senderWasRefused = false
    /// Whether the command goes on until it is stopped. A refused credential ended it then, whatever it delivered before.
    var isService = false
    /// Pushes handed to the library. Invalid records need no link and do not count.
    var attempted = 0
    var linkEverUp = false
    var outageExceeded = false
    /// Rows could not be written, so their reader does not know the outcome of these pushes.
    var rowsWereLost = false
    var tally = Tally()
    /// The outcomes of the journal's earlier runs: the last statuses are about the whole campaign.
    var earlier = Tally()

    init() {}

    /// Prints the end of the run. If that fails, it is said, and it is the run's error unless another one ended it.
    mutating func print(
        say: (LogLine) -> Void = { StandardError.write($0) }, _ write: () throws(CommandError) -> Void
    ) {
        do throws(CommandError) { try write() } catch {
            say(LogLine(error))
            self.error = self.error ?? error
        }
    }

    /// The first status that applies, in the documented order.
    var status: ExitStatus {
        if let signal { return signal.status }
        for status in [ExitStatus.usage, .input, .configuration] where error?.status == status { return status }
        if senderWasRefused { return .refused }
        if credentialWasRefused || error?.status == .refused, isService || tally.delivered == 0 { return .refused }
        if outageExceeded || error?.status == .unavailable || (attempted > 0 && !linkEverUp) { return .unavailable }
        let all = tally.adding(earlier)
        if all.unknown > 0 || rowsWereLost || error?.status == .unknown { return .unknown }
        if all.rejected > 0 || all.failed > 0 || error?.status == .rejectedOrFailed { return .rejectedOrFailed }
        return .success
    }
}
