import PushSimulator
import SupervisedPush

/// The link breaks.
extension FaultMatrix {
    static let brokenLinks = FaultChapter(
        title: "The link breaks",
        remark: """
            What the kernel took whole may have been processed: unknown, and never sent again by itself. What it did not \
            take was certainly not processed: it goes out again on the next link, in call order, with what waits.
            """,
        faults: [
            cut("RST, before the server read anything", .reset, processed: false),
            cut("RST, after the server processed everything", .reset, processed: true),
            cut("FIN, before the server read anything", .finish, processed: false),
            cut("FIN, after the server processed everything", .finish, processed: true),
            FaultCase("FIN in the middle: half of the pushes had been answered") { cell in
                .unknown(cell.load.inFlight - cell.load.half + 1, processed: 1, of: cell.load)
            } story: { stage in
                await stage.fillUnread()
                // The answers before the cut are written; its own push is processed and gets none.
                stage.apple.faults.add(FaultRule(.pushNumber(1 + stage.load.half), .cut(.finish), times: 1))
                // Answers and FIN arrive together, so that no push that waits takes a place before the end.
                stage.holdArrivals()
                stage.arrive()
                await stage.provesRulesAreSpent()
                await stage.sees("the connection's end") { $0.openConnections == 0 }
                stage.holdArrivals(false)
                await stage.reconnects()
            },
            FaultCase("the kernel took not one byte, then the link is reset") {
                .allDelivered($0.load)
            } story: { stage in
                stage.kernelTakes(0)
                stage.pushAll()
                await stage.isLoaded()
                stage.resetLink()
                await stage.reconnects()
                await stage.sees("nothing of the broken link") { $0.pushes >= 1 }
            },
            FaultCase("the kernel took the beginning of a record, then the link is reset") {
                .allDelivered($0.load)
            } story: { stage in
                // A record is readable as a whole or not at all: APNs cannot have seen what is in it.
                stage.kernelTakes(100)
                stage.pushAll()
                await stage.isLoaded()
                await stage.kernelHasTaken()
                stage.resetLink()
                await stage.reconnects()
            },
            FaultCase("the same, and `resend: .never`") { cell in
                Counts(
                    delivered: cell.load.waiting, unprocessed: cell.load.inFlight, processed: cell.load.waiting)
            } story: { stage in
                stage.kernelTakes(100)
                stage.pushAll()
                await stage.isLoaded()
                await stage.kernelHasTaken()
                stage.resetLink()
                await stage.reconnects()
            }.with { fault in
                // One record, so that each push has bytes in it.
                fault.loads = [.one]
                fault.connection = { $0.retry.resend = .never }
            },
        ])

    private static func cut(_ name: String, _ how: Fault.Cut, processed: Bool) -> FaultCase {
        FaultCase(name) { cell in
            .unknown(cell.load.inFlight, processed: processed ? cell.load.inFlight : 0, of: cell.load)
        } story: { stage in
            if processed { await stage.fillProcessed() } else { await stage.fillUnread() }
            await stage.apple.cutConnections(how)
            await stage.reconnects()
            await stage.isUp(2)
        }
    }
}
