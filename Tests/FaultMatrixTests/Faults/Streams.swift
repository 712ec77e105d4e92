import PushSimulator
import SupervisedPush
import Testing

/// Single streams go wrong while the link lives.
extension FaultMatrix {
    static let streams = FaultChapter(
        title: "Streams and answers",
        remark: """
            The link lives, and every push in flight meets the fault. REFUSED_STREAM says that it was not processed; any \
            other reset says nothing.
            """,
        faults: [
            FaultCase("RST_STREAM REFUSED_STREAM, once for each push in flight") {
                .allDelivered($0.load)
            } story: { stage in
                await stage.meets(.resetStream(code: 7))
                await stage.proves("RST_STREAM for each") { $0.resets == stage.load.inFlight }
            }.with { $0.keepsOrder = false },
            reset("RST_STREAM INTERNAL_ERROR", code: 2),
            reset("RST_STREAM CANCEL", code: 8),
            reset("RST_STREAM ENHANCE_YOUR_CALM", code: 11),
            reset("RST_STREAM with an unknown code", code: 0xABCD),
            refusal("429 TooManyRequests", .tooManyRequests),
            refusal("500 InternalServerError", .internalServerError),
            refusal("503 ServiceUnavailable", .serviceUnavailable),
            refusal("410 Unregistered", .unregistered),
            FaultCase("each answer comes two seconds late, in another order") {
                .allDelivered($0.load)
            } story: { stage in
                await stage.fillUnread()
                stage.apple.delayAnswers(by: Latency(.seconds(1)...(.seconds(2))))
                stage.arrive()
                await stage.proves("processed and unanswered") {
                    $0.pushes == 1 + stage.load.inFlight && $0.answered == 1
                }
                for batch in 1...(stage.load.total / stage.load.inFlight) {
                    let ended = batch * stage.load.inFlight
                    await stage.sees("\(ended) pushes processed") { $0.pushes == 1 + ended }
                    stage.pass(.seconds(2))
                    #expect(await stage.book.wait(for: ended))
                }
            },
        ])

    private static func reset(_ name: String, code: UInt32) -> FaultCase {
        FaultCase(name) {
            .unknown($0.load.inFlight, processed: $0.load.inFlight, of: $0.load)
        } story: { stage in
            await stage.meets(.resetStream(code: code))
            await stage.proves("RST_STREAM for each") { $0.resets == stage.load.inFlight }
        }
    }

    private static func refusal(_ name: String, _ refusal: Refusal) -> FaultCase {
        FaultCase(name) { cell in
            Counts(delivered: cell.load.waiting, rejected: cell.load.inFlight, processed: cell.load.total)
        } story: { stage in
            await stage.meets(.refuse(refusal))
            await stage.proves("\(name) for each") { $0.refusals[refusal] == stage.load.inFlight }
        }
    }
}

extension FaultStage {
    /// Every push in flight meets the fault, and none that waits.
    func meets(_ fault: Fault) async {
        await fillUnread()
        apple.faults.add(FaultRule(.push, fault, times: load.inFlight))
        arrive()
        await provesRulesAreSpent()
    }
}
