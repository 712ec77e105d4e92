import PushSimulator
import SupervisedPush

/// SETTINGS change under way.
extension FaultMatrix {
    static let settings = FaultChapter(
        title: "SETTINGS and limits",
        remark: """
            The peer's limit is followed at once, down and up. Pushes in flight stay in flight, and waiting pushes keep \
            waiting.
            """,
        faults: [
            FaultCase("the limit falls to 1") {
                .allDelivered($0.load)
            } story: { stage in
                await stage.fillProcessed()
                await stage.limitBecomes(1)
                stage.apple.releaseAnswers(on: stage.firstConnection)
            },
            FaultCase("the limit falls to 0 and rises again") {
                .allDelivered($0.load)
            } story: { stage in
                await stage.fillProcessed()
                await stage.limitBecomes(0)
                stage.apple.releaseAnswers(on: stage.firstConnection)
                await stage.sees("the answers") { $0.answered == 1 + stage.load.inFlight }
                await stage.limitBecomes(1_000)
            },
        ])
}
