import PushSimulator
import SupervisedPush
import Testing

/// GOAWAY, and what comes after it.
extension FaultMatrix {
    static let goodbyes = FaultChapter(
        title: "GOAWAY",
        remark: """
            Make before break: the successor is dialled while the old link finishes the streams that the server processes. \
            Those above last-stream-id go out again, before what waits. In token mode the successor starts at limit 1.
            """,
        faults: [
            goodbye("GOAWAY without a reason, before anything was processed", GoAway(), middle: false),
            goodbye("GOAWAY with a reason, in the middle", GoAway(reason: "Shutdown"), middle: true),
            goodbye("GOAWAY in two steps: first a notice, then the line", GoAway(isAnnounced: true), middle: false),
            goodbye("GOAWAY with ENHANCE_YOUR_CALM, in the middle", GoAway(code: 11), middle: true),
            FaultCase("two GOAWAYs in a row, the second draws the line lower") {
                .allDelivered($0.load)
            } story: { stage in
                await stage.fillUnread()
                let last = Int32(1 + 2 * stage.load.half)
                let link = stage.firstConnection
                stage.apple.goAway(GoAway(lastStream: .exactly(last), ending: .leftOpen), on: link)
                stage.apple.goAway(GoAway(lastStream: .exactly(1)), on: link)
                await stage.drains()
                await stage.isUp(2)
                stage.arrive()
            }.with { $0.keepsOrder = false },
            FaultCase("GOAWAY in the middle, then FIN instead of the answers") { cell in
                .unknown(cell.load.half, processed: cell.load.half, of: cell.load)
            } story: { stage in
                await stage.fillUnread()
                stage.apple.holdAnswers(on: stage.firstConnection)
                stage.apple.faults.add(
                    FaultRule(
                        .pushNumber(1 + stage.load.half), .goAway(GoAway(ending: .cut(.finish))), times: 1))
                stage.arrive()
                await stage.drains()
                await stage.isUp(2)
            },
            FaultCase("GOAWAY on two links in a row, each in the middle") {
                .allDelivered($0.load)
            } story: { stage in
                await stage.fillUnread()
                let middle = FaultRule.Trigger.pushNumber(1 + stage.load.half / 4)
                stage.apple.faults.add(FaultRule(middle, .goAway(GoAway(reason: "Shutdown")), times: 2))
                stage.arrive()
                await stage.drains()
                await stage.drains()
                await stage.isUp(3)
                await stage.provesRulesAreSpent()
            }.with { $0.loads = [.thousand, .behindTheLimit] },
        ])

    /// The server says goodbye when it has processed half of what is in flight, or nothing of it.
    private static func goodbye(_ name: String, _ goAway: GoAway, middle: Bool) -> FaultCase {
        FaultCase(name) {
            .allDelivered($0.load)
        } story: { stage in
            await stage.fillUnread()
            if middle {
                stage.apple.faults.add(FaultRule(.pushNumber(1 + stage.load.half), .goAway(goAway), times: 1))
                stage.arrive()
            } else {
                stage.apple.goAway(goAway)
            }
            await stage.drains()
            await stage.isUp(2)
            stage.arrive()
        }
    }
}

extension FaultStage {
    var firstConnection: ConnectionSelection { apple.connections.first.map { .only($0) } ?? .all }

    /// Half of what is in flight is processed and its answers held; GOAWAY sends the other half to the successor. Of one
    /// push, the whole goes there.
    func drainHalf(successorFails: Bool = true) async {
        await processesHalf(GoAway())
        await drains()
        // A successor that comes up takes what waits at once.
        if successorFails { await isLoaded(returned: load == .one ? 1 : load.half) }
    }

    /// Half of what is in flight is processed and its answers held, then comes GOAWAY; of one push, nothing is.
    func processesHalf(_ goAway: GoAway) async {
        await fillUnread()
        let connection = firstConnection
        apple.holdAnswers(on: connection)
        if load == .one {
            apple.perform(.goAway(goAway), on: connection)
            // Only then may the push arrive, or it would be processed.
            #expect(
                await reaches {
                    (try? runtime.connection(named: "orders").status)?.phase != .up
                        || apple.ledger.snapshot.connections > 1
                })
        } else {
            apple.faults.add(FaultRule(.pushNumber(1 + load.half), .goAway(goAway), on: connection, times: 1))
        }
        arrive()
    }
}
