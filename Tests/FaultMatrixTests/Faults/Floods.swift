import PushSimulator
import SupervisedPush

/// Ten thousand frames that say nothing.
extension FaultMatrix {
    static let floods = FaultChapter(
        title: "Floods",
        remark: """
            Ten thousand frames that say nothing, in the middle of the answers. Those that cost the connection an answer, or \
            memory, end the link as a broken frame does; the others are read and forgotten. SETTINGS overtake the answers \
            that the simulator has not written yet, so that all of these are unknown.
            """,
        faults: [
            broken("10,000 PINGs", .flood(Flood(.ping))),
            once("10,000 SETTINGS", .flood(Flood(.settings))) { cell in
                .unknown(cell.load.inFlight, processed: cell.load.inFlight, of: cell.load)
            },
            broken("a header block in 10,000 CONTINUATIONs", .flood(Flood(.continuation))),
            ignored("10,000 WINDOW_UPDATEs", .flood(Flood(.windowUpdate))),
            ignored("10,000 PRIORITYs", .flood(Flood(.priority))),
            ignored("10,000 frames of an unknown type", .flood(Flood(.unknown))),
            ignored("10,000 informational answers before the answer", .flood(Flood(.informational))),
            ignored("10,000 empty DATA frames in the answer", .flood(Flood(.emptyData))),
        ])

    /// One push, in the middle of those in flight, brings the flood, and nothing comes of it.
    private static func ignored(_ name: String, _ fault: Fault) -> FaultCase {
        FaultCase(name) {
            .allDelivered($0.load)
        } story: { stage in
            await stage.fillUnread()
            stage.apple.faults.add(FaultRule(.pushNumber(1 + stage.load.half), fault, times: 1))
            stage.arrive()
            await stage.provesRulesAreSpent()
            await stage.haveEnded()
            stage.proves("the link lives on", stage.apple.ledger.snapshot.connections == 1)
        }
    }
}
