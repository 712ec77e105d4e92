import ProcessRuntime
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

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
                $0.connection = { $0.liveness = PushConnection.Configuration.Liveness() }
            },
        ] + connectionWindows)

    /// Bodies so large that the window of the connection is the limit.
    private static let connectionWindows = [
        FaultCase("the window of the connection is used up, and opens again after 7 s") {
            .allDelivered($0.load)
        } story: { stage in
            await stage.useUpTheConnectionWindow()
            stage.pass(.seconds(7))
            stage.connectionWindowOpens(.prompt)
            await stage.haveEnded()
            stage.proves("on the same link", stage.apple.ledger.snapshot.connections == 1)
        }.with { $0.connection = { $0.liveness = PushConnection.Configuration.Liveness() } },
        FaultCase("the window of the connection is used up, and 1 KiB is given back every 100 ms") {
            .allDelivered($0.load)
        } story: { stage in
            await stage.useUpTheConnectionWindow()
            stage.connectionWindowOpens(.trickle(Dribble(bytes: 1_024, every: .milliseconds(100))))
            await stage.passesUntilAllHaveEnded()
        }.with { $0.connection = { $0.timeout = .seconds(3_600) } },
        FaultCase("the window of the connection is used up, and the timeout ends") { cell in
            let answered = FaultStage.inOneWindow
            return Counts(
                delivered: answered, notSent: cell.load.total - answered - 1, unprocessed: 1, processed: answered)
        } story: { stage in
            await stage.useUpTheConnectionWindow()
            stage.pass(.seconds(4))
        }.with { $0.connection = { $0.timeout = .seconds(4) } },
        FaultCase("the window of the connection is used up for good: a successor takes over") {
            .allDelivered($0.load)
        } story: { stage in
            await stage.useUpTheConnectionWindow()
            await stage.stalls()
            await stage.drains()
        }.with { $0.connection = { $0.liveness = PushConnection.Configuration.Liveness() } },
    ].map { fault in
        fault.with {
            $0.loads = [.behindTheLimit]
            $0.notification = FaultStage.long
        }
    }
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

    fileprivate static let long = PushNotification.alert(
        title: "Flight A998", body: String(repeating: "Boarding. ", count: 130))

    /// How many of these begin after the stage's first push, before the window of a connection is used up.
    fileprivate static let inOneWindow = (65_535 - Samples.flight.payload.count) / long.payload.count

    /// The server gives no bytes of the connection back: as many pushes begin as the window takes whole, and when they are
    /// answered, the next one alone.
    fileprivate func useUpTheConnectionWindow() async {
        let count = Self.inOneWindow
        apple.changeWindow(.withhold, on: firstConnection)
        await hasReadAll()
        apple.holdAnswers(on: firstConnection)
        pushAll()
        await sees("\(count) pushes in the ledger") { $0.pushes == 1 + count }
        await isLoaded(inFlight: count, waiting: load.total - count)
        await oneGoesAlone(behind: count)
    }

    fileprivate func connectionWindowOpens(_ pace: WindowPace) { apple.changeWindow(pace, on: firstConnection) }

    /// Moves the clock to whatever is armed for the next 100 ms, until each push has its outcome.
    fileprivate func passesUntilAllHaveEnded() async {
        let step = Duration.milliseconds(100)
        let haveEnded = await reaches {
            if let armed = time.earliestArmed, armed <= time.now.advanced(by: step) { time.advance(by: step) }
            return book.count == load.total
        }
        #expect(haveEnded, "only \(book.count) of \(load.total) pushes ended: \(book.summary)")
    }

    /// What was in flight is answered, and the next push begins alone.
    fileprivate func oneGoesAlone(behind count: Int? = nil) async {
        let count = count ?? load.inFlight
        apple.releaseAnswers(on: firstConnection)
        await sees("the answers") { $0.answered == 1 + count }
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
