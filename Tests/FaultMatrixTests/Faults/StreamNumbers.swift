import PushSimulator
import SupervisedPush
import Testing

/// A link has no stream number left.
extension FaultMatrix {
    static let streamNumbers = FaultChapter(
        title: "Stream numbers run out",
        remark: """
            The link uses its last stream number when half of the pushes in flight are written. The next push brings a \
            successor, make before break, and waits for it with the rest; the old link finishes what it has.
            """,
        faults: [
            usedUp("the numbers are used up, nothing else happens") {
                .allDelivered($0.load)
            } story: { stage in
                await stage.usesTheLastNumber()
                await stage.isUp(2)
            },
            usedUp("the successor is refused three times") {
                .allDelivered($0.load)
            } story: { stage in
                stage.apple.refuseConnections()
                await stage.usesTheLastNumber()
                await stage.reconnects(attempt: 1)
                await stage.reconnects(attempt: 2)
                await stage.reconnects(attempt: 3) { stage.apple.acceptConnections() }
            },
            usedUp("the old link is reset, before the server read anything") { cell in
                .unknown(cell.load.half, processed: 0, of: cell.load)
            } story: { stage in
                stage.apple.refuseConnections()
                await stage.usesTheLastNumber()
                await stage.apple.cutConnections()
                await stage.reconnects { stage.apple.acceptConnections() }
            },
            usedUp("GOAWAY from the old link, before anything was processed") {
                .allDelivered($0.load)
            } story: { stage in
                stage.apple.refuseConnections()
                await stage.usesTheLastNumber()
                stage.apple.goAway(GoAway(), on: stage.firstConnection)
                // Its pushes wait again: nothing may arrive before.
                await stage.isLoaded(
                    inFlight: 0, waiting: stage.load.total - stage.load.half, returned: stage.load.half)
                await stage.reconnects { stage.apple.acceptConnections() }
            },
        ])

    private static func usedUp(
        _ name: String, expected: @escaping @Sendable (Cell) -> Counts,
        story: @escaping @Sendable (FaultStage) async throws -> Void
    ) -> FaultCase {
        FaultCase(name, expected: expected) { stage in
            await stage.fillUnread(upTo: stage.load.half)
            try await story(stage)
            stage.arrive()
        }.with { fault in
            fault.loads = [.thousand, .behindTheLimit]
            // Stream 1 was the first push's.
            fault.lastStream = { Int32(1 + 2 * $0.half) }
        }
    }
}

extension FaultStage {
    /// The next pushes are called, and there is no number for them.
    func usesTheLastNumber() async {
        push(load.half..<load.total)
        await drains()
    }
}
