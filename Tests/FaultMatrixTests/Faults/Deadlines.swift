import PushSimulator
import SupervisedPush
import Testing

/// Time is over, or the caller does not want to wait any more.
extension FaultMatrix {
    static let deadlines = FaultChapter(
        title: "Time is over",
        remark: """
            What was written and not answered in time is unknown, and its answer is still welcome for the late window. What \
            waited was not sent.
            """,
        faults: [
            FaultCase("no answer within the timeout; the answers come after it") { cell in
                Counts(notSent: cell.load.waiting, unknown: cell.load.inFlight, processed: cell.load.inFlight)
            } story: { stage in
                await stage.fillProcessed()
                stage.pass(.seconds(4))
                await stage.haveEnded()
                stage.apple.releaseAnswers(on: stage.firstConnection)
                for _ in 0..<stage.load.inFlight {
                    await stage.hears("a late answer") {
                        if case .lateResponse(let late) = $0, case .answered = late.outcome { true } else { false }
                    }
                }
                stage.proves("\(stage.load.inFlight == 1 ? "the" : "all") late answers")
            }.with { $0.connection = { $0.timeout = .seconds(4) } },
            FaultCase("no answer within the timeout; then RST") { cell in
                Counts(notSent: cell.load.waiting, unknown: cell.load.inFlight, processed: cell.load.inFlight)
            } story: { stage in
                await stage.fillProcessed()
                stage.pass(.seconds(4))
                await stage.haveEnded()
                await stage.apple.cutConnections()
                for _ in 0..<stage.load.inFlight {
                    await stage.hears("a late window that closed") {
                        if case .lateResponse(let late) = $0, case .noAnswer = late.outcome { true } else { false }
                    }
                }
                await stage.reconnects()
            }.with { $0.connection = { $0.timeout = .seconds(4) } },
            FaultCase("the caller cancels all, after the server processed what is in flight") { cell in
                Counts(notSent: cell.load.waiting, unknown: cell.load.inFlight, processed: cell.load.inFlight)
            } story: { stage in
                await stage.fillProcessed()
                stage.cancelAll()
                await stage.haveEnded()
                stage.proves("cancelled", stage.book.summary.contains("cancelled"))
            },
            FaultCase("the caller cancels all, and the kernel takes nothing, but it is encrypted") { cell in
                Counts(notSent: cell.load.waiting, unknown: cell.load.inFlight)
            } story: { stage in
                stage.kernelTakes(0)
                stage.pushAll()
                await stage.isLoaded()
                stage.cancelAll()
                await stage.haveEnded()
                stage.proves("cancelled", stage.book.summary.contains("cancelled"))
                // More than 256 KiB are never encrypted ahead of the kernel: a thousand are only partly so.
            }.with { $0.loads = [.one, .behindTheLimit] },
        ])
}
