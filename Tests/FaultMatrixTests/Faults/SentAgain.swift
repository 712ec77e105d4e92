import ProcessRuntime
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// What goes again, because the caller asked for it or because the server did not take it.
extension FaultMatrix {
    static let sentAgain = FaultChapter(
        title: "Sent again",
        remark: """
            Only `.resendUnknown` can make duplicates: "twice" says how many the server processed more than once, each time \
            under the same apns-id. A push that is refused again and again pauses, and ends after 20 attempts.
            """,
        faults: [
            resending("RST, before the server read anything, with `.resendUnknown`", twice: false) { stage in
                await stage.fillUnread()
                await stage.apple.cutConnections()
                await stage.reconnects()
            },
            resending("RST, after the server processed everything, with `.resendUnknown`") { stage in
                await stage.fillProcessed()
                await stage.apple.cutConnections()
                stage.apple.releaseAnswers()
                await stage.reconnects()
            },
            resending("RST_STREAM INTERNAL_ERROR, once for each push in flight, with `.resendUnknown`") { stage in
                await stage.meets(.resetStream(code: 2))
            },
            FaultCase("RST_STREAM REFUSED_STREAM, twice in a row for each push in flight") {
                .allDelivered($0.load)
            } story: { stage in
                await stage.fillUnread()
                // What was refused once goes out before what waits: the second refusals are theirs.
                stage.apple.faults.add(FaultRule(.push, .resetStream(code: 7), times: 2 * stage.load.inFlight))
                stage.arrive()
                await stage.passesPausesUntilEnded()
                await stage.provesRulesAreSpent()
                await stage.proves("RST_STREAM, twice for each") { $0.resets == 2 * stage.load.inFlight }
            }.with { $0.keepsOrder = false },
            FaultCase("RST_STREAM REFUSED_STREAM each time: given up after 20 attempts") {
                Counts(unprocessed: $0.load.total)
            } story: { stage in
                await stage.fillUnread()
                stage.apple.faults.add(FaultRule(.push, .resetStream(code: 7)))
                stage.arrive()
                await stage.passesPausesUntilEnded()
                await stage.proves("RST_STREAM, 20 times for each") { $0.resets == 20 * stage.load.total }
                stage.proves("too_many_attempts", stage.book.summary.hasPrefix("too_many_attempts"))
            }.with { fault in
                fault.keepsOrder = false
                fault.connection = { $0.timeout = .seconds(600) }
            },
        ])

    private static func resending(
        _ name: String, twice: Bool = true, story: @escaping @Sendable (FaultStage) async throws -> Void
    ) -> FaultCase {
        FaultCase(name) { cell in
            Counts(
                delivered: cell.load.total, processed: cell.load.total, repeated: twice ? cell.load.inFlight : 0)
        } story: { stage in
            try await story(stage)
        }.with { fault in
            fault.mayRepeat = true
            fault.keepsOrder = false
            fault.connection = { $0.retry.resend = .resendUnknown }
        }
    }
}

extension FaultStage {
    /// Passes pauses until all pushes have ended: the longest one after REFUSED_STREAM is 5 s.
    func passesPausesUntilEnded() async {
        await passesPauses(upTo: .seconds(6)) { book.count >= load.total }
    }

    /// Moves the clock to whatever is armed within `longest`, again and again, until the condition holds.
    func passesPauses(upTo longest: Duration, until condition: () -> Bool) async {
        let isReached = await reaches {
            if condition() { return true }
            if let armed = time.earliestArmed, armed > time.now, armed <= time.now.advanced(by: longest) {
                time.advance(by: time.now.duration(to: armed))
            }
            return false
        }
        #expect(isReached, "only \(book.count) of \(load.total) pushes ended: \(book.summary)")
    }
}
