import ProcessRuntime
import PushSimulator
import SupervisedPush

/// Nothing comes any more.
extension FaultMatrix {
    static let silence = FaultChapter(
        title: "Silence",
        remark: """
            Pushes are unanswered for 5 s: PING. It is not answered within 3 s: the link is given up. It is answered, and no \
            push is for 8 s: a successor takes over, and the old link may still answer.
            """,
        faults: [
            FaultCase("a black hole swallows what is in flight") {
                .unknown($0.load.inFlight, processed: 0, of: $0.load)
            } story: { stage in
                await stage.fillUnread()
                stage.apple.deafen(on: stage.firstConnection)
                stage.arrive()
                await stage.staysSilent()
                await stage.reconnects()
            },
            FaultCase("everything is processed, and nothing the server says arrives") { cell in
                .unknown(cell.load.inFlight, processed: cell.load.inFlight, of: cell.load)
            } story: { stage in
                await stage.fillProcessed()
                stage.holdArrivals()
                stage.apple.releaseAnswers(on: stage.firstConnection)
                await stage.sees("the answers") { $0.answered == 1 + stage.load.inFlight }
                await stage.staysSilent()
                await stage.reconnects()
            },
            FaultCase("everything is processed, and the server hangs: no answer, not even to PING") { cell in
                .unknown(cell.load.inFlight, processed: cell.load.inFlight, of: cell.load)
            } story: { stage in
                await stage.fillProcessed()
                stage.apple.mute(on: stage.firstConnection)
                await stage.staysSilent()
                await stage.reconnects()
            },
            FaultCase("everything is processed, and PING is ignored") { cell in
                .unknown(cell.load.inFlight, processed: cell.load.inFlight, of: cell.load)
            } story: { stage in
                await stage.fillProcessed()
                stage.apple.perform(.ignorePings, on: stage.firstConnection)
                await stage.staysSilent()
                await stage.reconnects()
            },
            FaultCase("the kernel takes nothing any more") {
                .allDelivered($0.load)
            } story: { stage in
                stage.kernelTakes(0)
                stage.pushAll()
                await stage.isLoaded()
                await stage.staysSilent()
                await stage.reconnects()
            },
            FaultCase("PING is answered, no push is: a stall") {
                .allDelivered($0.load)
            } story: { stage in
                await stage.fillProcessed()
                await stage.staysSilent(answersPings: true)
                await stage.drains()
                await stage.isUp(2)
                stage.apple.releaseAnswers(on: stage.firstConnection)
            },
            FaultCase("after four minutes without a byte, the network has dropped the link") {
                .allDelivered($0.load)
            } story: { stage in
                stage.pass(.seconds(240))
                stage.apple.deafen(on: stage.firstConnection)
                stage.pushAll()
                await stage.isLoaded(inFlight: 0, waiting: stage.load.total)
                await stage.time.waitUntilArmed(by: stage.time.now.advanced(by: .seconds(3)))
                stage.pass(.seconds(3))
                await stage.reconnects()
            },
        ].map { $0.with { $0.connection = { $0.liveness = PushConnection.Configuration.Liveness() } } })
}

extension FaultStage {
    /// Eight seconds pass: the client sends a PING after five of them.
    ///
    /// - Parameter answersPings: the PING after five seconds is answered, and the answer has come before time goes on.
    func staysSilent(answersPings: Bool = false) async {
        // The look at the link must be armed, or it would be made too late.
        await time.waitUntilArmed(by: time.now.advanced(by: .seconds(5)))
        pass(.seconds(5))
        if answersPings {
            proves("PING is answered", await reaches { (try? runtime.connection(named: "orders").status)?.rtt != nil })
        }
        await time.waitUntilArmed(by: time.now.advanced(by: .seconds(3)))
        pass(.seconds(3))
    }
}
