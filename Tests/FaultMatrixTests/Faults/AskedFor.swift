import ProcessRuntime
import PushSimulator
import SupervisedPush
import Testing

/// What happens only because the caller asked for it.
extension FaultMatrix {
    static let askedFor = FaultChapter(
        title: "Asked for",
        remark: """
            Status retries have a budget, a tenth of the pushes and ten more, and stop while APNs fails altogether: half of the \
            answers are 500 or 503. A push that finds the queue full waits, is refused, or replaces the oldest.
            """,
        faults: [
            retried("429 TooManyRequests, once for each in flight, with `statusRetry`", .tooManyRequests),
            // What is accepted behind them are more than half of the answers, so that the breaker stays closed.
            retried("503 ServiceUnavailable, once for each in flight, with `statusRetry`", .serviceUnavailable)
                .with { $0.loads = [.one, .behindTheLimit] },
            retried("500 InternalServerError, once for each in flight, with `statusRetry`", .internalServerError)
                .with { $0.loads = [.one, .behindTheLimit] },
            FaultCase("503 ServiceUnavailable for everything, with `statusRetry`: the breaker opens") {
                Counts(rejected: $0.load.total, processed: $0.load.total)
            } story: { stage in
                await stage.fillUnread()
                stage.apple.faults.add(FaultRule(.push, .refuse(.serviceUnavailable)))
                stage.arrive()
                // Those that were granted a retry before the breaker opened do not make it.
                #expect(await stage.book.wait(for: stage.load.total - granted(stage.load, written: stage.load.total)))
                await stage.time.waitUntilArmed(by: stage.time.now.advanced(by: .seconds(1)))
                stage.pass(.seconds(1))
                await stage.haveEnded()
                await stage.proves("503 ServiceUnavailable, once for each") {
                    $0.refusals[.serviceUnavailable] == stage.load.total
                }
            }.with { fault in
                fault.loads = [.thousand, .behindTheLimit]
                fault.connection = { $0.retry.statusRetry = StatusRetryPolicy(retries: 3) }
            },
            FaultCase("429 TooManyRequests each time, with three retries: the last answer counts") {
                Counts(rejected: $0.load.total, processed: $0.load.total)
            } story: { stage in
                await stage.fillUnread()
                stage.apple.faults.add(FaultRule(.push, .refuse(.tooManyRequests)))
                stage.arrive()
                await stage.passesPausesUntilEnded()
                await stage.proves("429 TooManyRequests, four times") { $0.refusals[.tooManyRequests] == 4 }
            }.with { fault in
                fault.loads = [.one]
                fault.mayRetry = true
                fault.keepsOrder = false
                fault.connection = { $0.retry.statusRetry = StatusRetryPolicy(retries: 3) }
            },
            whenFull("the queue is full, with `whenFull: .dropOldest`", .dropOldest, proof: "dropped"),
            whenFull("the queue is full, with `whenFull: .reject`", .reject, proof: "overloaded"),
        ])

    /// The budget is ten retries, and one more for ten pushes that were written.
    private static func granted(_ load: Load, written: Int) -> Int { min(load.inFlight, 10 + written / 10) }

    /// Every push in flight is refused once. Those that end with that make room for others, which pay into the budget when they are
    /// written.
    private static func retried(_ name: String, _ refusal: Refusal) -> FaultCase {
        @Sendable func granted(_ load: Load) -> Int { Self.granted(load, written: min(load.total, 2 * load.inFlight)) }
        return FaultCase(name) { cell in
            let rejected = cell.load.inFlight - granted(cell.load)
            return Counts(
                delivered: cell.load.total - rejected, rejected: rejected, processed: cell.load.total)
        } story: { stage in
            await stage.meets(.refuse(refusal))
            await stage.proves("\(refusal.rawValue) for each") { $0.refusals[refusal] == stage.load.inFlight }
            #expect(await stage.book.wait(for: stage.load.total - granted(stage.load)))
            await stage.time.waitUntilArmed(by: stage.time.now.advanced(by: .seconds(1)))
            stage.pass(.seconds(1))
        }.with { fault in
            fault.mayRetry = true
            fault.keepsOrder = false
            fault.connection = { $0.retry.statusRetry = StatusRetryPolicy(retries: 3) }
        }
    }

    /// A hundred are in flight, a hundred wait, and no more may: another hundred is called.
    private static func whenFull(_ name: String, _ policy: WhenFull, proof: String) -> FaultCase {
        FaultCase(name) { cell in
            Counts(
                delivered: cell.load.total - cell.load.inFlight, notSent: cell.load.inFlight,
                processed: cell.load.total - cell.load.inFlight)
        } story: { stage in
            let count = stage.load.inFlight
            stage.apple.holdAnswers(on: stage.firstConnection)
            stage.push(0..<count)
            await stage.isLoaded(inFlight: count, waiting: 0)
            stage.push(count..<2 * count)
            await stage.isLoaded(inFlight: count, waiting: count)
            stage.push(2 * count..<3 * count)
            #expect(await stage.book.wait(for: count))
            stage.proves(proof, stage.book.summary == "\(proof) not_sent: \(count)")
            stage.apple.releaseAnswers(on: stage.firstConnection)
        }.with { fault in
            fault.loads = [.behindTheLimit]
            fault.connection = {
                $0.limits.maxWaiting = Load.behindTheLimit.inFlight
                $0.limits.whenFull = policy
            }
        }
    }
}
