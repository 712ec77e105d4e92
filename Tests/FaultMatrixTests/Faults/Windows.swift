import ProcessRuntime
import PushSimulator
import SupervisedPush

/// The server takes no more bytes (RFC 9113, section 5.2).
extension FaultMatrix {
    static let windows = FaultChapter(
        title: "Flow control",
        remark: """
            A push begins only if the windows take its whole body; until then it waits and is not sent. A body that is \
            larger than a whole window goes alone, and nothing begins before it has left. If no byte of the window comes \
            for 8 s, a successor takes over.
            """,
        faults: [
            FaultCase("the window of each stream falls to 0, and rises again") {
                .allDelivered($0.load)
            } story: { stage in
                await stage.fillProcessed()
                await stage.streamWindowFalls(to: 0)
                await stage.oneGoesAlone()
                await stage.streamWindowRises()
            }.with { $0.loads = [.behindTheLimit] },
            FaultCase("the window of each stream falls to 20 bytes, less than a body") {
                .allDelivered($0.load)
            } story: { stage in
                await stage.fillProcessed()
                await stage.streamWindowFalls(to: 20)
                await stage.oneGoesAlone()
                stage.apple.changeWindow(.prompt, of: .streams, on: stage.firstConnection)
            }.with { $0.loads = [.behindTheLimit] },
            FaultCase("the window of each stream falls to 0, and the timeout ends") { cell in
                let answered = cell.load.inFlight
                return Counts(
                    delivered: answered, notSent: cell.load.waiting - 1, unprocessed: 1, processed: answered)
            } story: { stage in
                await stage.fillProcessed()
                await stage.streamWindowFalls(to: 0)
                await stage.oneGoesAlone()
                stage.pass(.seconds(4))
            }.with {
                $0.loads = [.behindTheLimit]
                $0.connection = { $0.timeout = .seconds(4) }
            },
            FaultCase("the window of each stream falls to 0 for good: a successor takes over") {
                .allDelivered($0.load)
            } story: { stage in
                await stage.fillProcessed()
                await stage.streamWindowFalls(to: 0)
                await stage.oneGoesAlone()
                await stage.stalls()
                await stage.drains()
            }.with {
                $0.loads = [.behindTheLimit]
                $0.connection = { $0.liveness = LivenessPolicy() }
            },
        ])
}

extension FaultStage {
    /// Streams that begin from now on take this many bytes.
    fileprivate func streamWindowFalls(to bytes: Int) async {
        apple.changeWindow(.withhold, of: .streams, on: firstConnection)
        apple.changeSettings(SettingsChange(initialWindowSize: bytes), on: firstConnection)
        // What follows on the link arrives behind it.
        await hasReadAll()
    }

    fileprivate func streamWindowRises() async {
        apple.changeSettings(SettingsChange(initialWindowSize: 65_535), on: firstConnection)
    }

    /// What was in flight is answered, and the next push begins alone.
    fileprivate func oneGoesAlone() async {
        apple.releaseAnswers(on: firstConnection)
        await sees("the answers") { $0.answered == 1 + self.load.inFlight }
        proves(
            "the server takes no more bytes (flow control)",
            await reaches {
                let status = try? runtime.connection(named: "orders").status
                return status?.isShortOfWindow == true && status?.inFlight == 1
            })
    }

    /// Nothing of the window comes for the stall time.
    fileprivate func stalls() async {
        await time.waitUntilArmed(by: time.now.advanced(by: .seconds(8)))
        pass(.seconds(8))
    }
}
