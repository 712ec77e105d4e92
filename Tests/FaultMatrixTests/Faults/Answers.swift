import PushSimulator
import SupervisedPush

/// Answers that begin and do not end, or are none that APNs would give.
extension FaultMatrix {
    static let answers = FaultChapter(
        title: "Answers that are wrong",
        remark: """
            A valid final status counts as the answer, whatever becomes of the rest: the server processed the push. \
            Without one the push is unknown. The link lives on, unless HTTP/2 says that it must not.
            """,
        faults: [
            each("HEADERS of the answer, then RST_STREAM", .halfAnswer(HalfAnswer(.headers, then: .reset(code: 8)))),
            each(
                "HEADERS and half of the body, then RST_STREAM", .halfAnswer(HalfAnswer(.body, then: .reset(code: 2)))),
            each("no `:status` in the answer", .malformedAnswer(.noStatus), isAnswer: false),
            each("a `:status` of three letters", .malformedAnswer(.status("abc")), isAnswer: false),
            each("a field name in upper case", .malformedAnswer(.upperCaseName), isAnswer: false),
            each("a body that is not JSON", .malformedAnswer(.body("<html>bad gateway</html>"))),
            each("a header list of 20 KiB", .oversizedHeaders(bytes: 20 << 10)),
            each("a body of 20 KiB", .oversizedBody(bytes: 20 << 10)),
            each("a second answer on the same stream", .afterAnswer(.answer)),
            each("DATA after the answer", .afterAnswer(.data)),
            each("WINDOW_UPDATE after the answer", .afterAnswer(.windowUpdate)),
            each("RST_STREAM after the answer", .afterAnswer(.reset(code: 5))),
            once("the first half of an answer, then FIN", .halfAnswer(HalfAnswer(.headers, then: .cut(.finish)))) {
                cell in
                .unknown(cell.load.inFlight - cell.load.half, processed: 0, of: cell.load)
            },
            once("FIN before the push is processed", .cutUnprocessed(.finish)) { cell in
                .unknown(cell.load.inFlight - cell.load.half + 1, processed: 0, of: cell.load)
            },
            FaultCase("HEADERS of the answer, then nothing until the timeout") { cell in
                Counts(
                    delivered: cell.load.inFlight, notSent: cell.load.waiting, processed: cell.load.inFlight)
            } story: { stage in
                await stage.meets(.halfAnswer(HalfAnswer(.headers, then: .nothing)))
                await stage.sees("all of them processed") { $0.pushes == 1 + stage.load.inFlight }
                await stage.hasReadAll()
                stage.pass(.seconds(4))
            }.with { $0.connection = { $0.timeout = .seconds(4) } },
        ])

    /// Every push in flight gets such an answer.
    static func each(_ name: String, _ fault: Fault, isAnswer: Bool = true) -> FaultCase {
        FaultCase(name) { cell in
            isAnswer
                ? .allDelivered(cell.load) : .unknown(cell.load.inFlight, processed: cell.load.inFlight, of: cell.load)
        } story: { stage in
            await stage.meets(fault)
        }
    }

    /// One push, in the middle of those in flight, meets the fault, and the link ends by it. What the simulator wrote
    /// arrives together.
    static func once(
        _ name: String, _ fault: Fault, expected: @escaping @Sendable (Cell) -> Counts
    ) -> FaultCase {
        FaultCase(name, expected: expected) { stage in
            await stage.fillUnread()
            stage.apple.faults.add(FaultRule(.pushNumber(1 + stage.load.half), fault, times: 1))
            stage.holdArrivals()
            stage.arrive()
            await stage.provesRulesAreSpent()
            await stage.sees("the end of what the simulator reads") {
                $0.openConnections == 0 || $0.pushes == 1 + stage.load.inFlight
            }
            stage.holdArrivals(false)
            await stage.reconnects()
        }
    }
}
