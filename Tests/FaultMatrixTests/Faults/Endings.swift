import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// The connection ends, or its process does.
extension FaultMatrix {
    static let endings = FaultChapter(
        title: "The process fails, the connection is closed",
        remark: """
            A name survives its process: what waits and what was not processed passes on to the successor, what was \
            written is unknown. Closing sends what it can by its deadline.
            """,
        faults: [
            FaultCase("the process is killed, after the server processed what is in flight") { cell in
                .unknown(cell.load.inFlight, processed: cell.load.inFlight, of: cell.load)
            } story: { stage in
                await stage.fillProcessed()
                await stage.killProcess()
            },
            FaultCase("the process is killed, and the kernel had taken nothing") {
                .allDelivered($0.load)
            } story: { stage in
                stage.kernelTakes(0)
                stage.pushAll()
                await stage.isLoaded()
                await stage.killProcess()
            },
            FaultCase("the process is killed four times within a minute: the connection is given up") { cell in
                Counts(notSent: cell.load.waiting, unknown: cell.load.inFlight, processed: cell.load.inFlight)
            } story: { stage in
                await stage.fillProcessed()
                stage.apple.ignoreConnections()
                await stage.killProcess()
                for delay in [Duration.seconds(1), .seconds(2)] {
                    await stage.killProcess(passing: delay)
                }
                await stage.killProcess(isLast: true)
                await stage.hears("givenUp") { if case .givenUp = $0 { true } else { false } }
                stage.proves("given up")
            },
            FaultCase("the process throws: the successor after GOAWAY cannot be made") { cell in
                .unknown(cell.load.inFlight, processed: cell.load.inFlight, of: cell.load)
            } story: { stage in
                await stage.fillProcessed()
                stage.process.fail("orders", times: 1)
                stage.apple.goAway()
                await stage.hasThrown()
            },
            FaultCase("the process throws, with half of the pushes unprocessed") { cell in
                let processed = cell.load == .one ? 0 : cell.load.half
                return .unknown(processed, processed: processed, of: cell.load)
            } story: { stage in
                stage.process.fail("orders", times: 1)
                await stage.processesHalf(GoAway())
                await stage.hasThrown()
            },
            FaultCase("the process throws four times: the connection is given up") { cell in
                Counts(notSent: cell.load.waiting, unknown: cell.load.inFlight, processed: cell.load.inFlight)
            } story: { stage in
                await stage.fillProcessed()
                stage.process.fail("orders")
                stage.apple.goAway()
                // It is restarted after 0, 1 and 2 s.
                await stage.passesPauses(upTo: .seconds(2)) { stage.process.count("orders") == 4 }
                for _ in 0..<4 { await stage.hasThrown() }
                await stage.hears("givenUp") { if case .givenUp = $0 { true } else { false } }
                stage.proves("given up")
            },
            FaultCase("closed at once, after the server processed what is in flight") { cell in
                Counts(notSent: cell.load.waiting, unknown: cell.load.inFlight, processed: cell.load.inFlight)
            } story: { stage in
                await stage.fillProcessed()
                let handBack = try await stage.runtime.close(name: "orders", within: .zero)
                stage.proves("closed", handBack.answeredElsewhere == stage.load.total)
            },
            FaultCase("closed with time: the answers come, and what waits is sent") {
                .allDelivered($0.load)
            } story: { stage in
                await stage.fillProcessed()
                async let handBack = stage.runtime.close(name: "orders", within: .seconds(4))
                await stage.refusesPushes()
                stage.apple.releaseAnswers(on: stage.firstConnection)
                stage.proves("closed", try await handBack.isEmpty)
            },
        ])
}

extension FaultStage {
    /// The connection's process has thrown.
    func hasThrown() async {
        await hears("the end of a process that threw") { if case .down(_, .failure) = $0 { true } else { false } }
        proves("down: failure")
    }
}
