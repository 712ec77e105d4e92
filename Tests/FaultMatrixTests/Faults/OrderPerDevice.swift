import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// Pushes that wait for their turn at a device, when something goes wrong with the one before them.
extension FaultMatrix {
    static let perDevice = FaultChapter(
        title: "One in flight per device",
        remark: """
            With `ordered: .perDevice`, all pushes go to ten devices: ten are in flight, and the others wait for their turn. \
            However the one in flight ends, the next of its device follows, and each device gets its pushes in call order, \
            across links, resends and retries.
            """,
        faults: [
            ordered("RST, before the server read anything") {
                .unknown(devices, processed: 0, of: $0.load)
            } story: { stage in
                await stage.fillUnread(inFlight: devices)
                await stage.apple.cutConnections()
                await stage.reconnects()
            },
            ordered("the kernel took not one byte, then the link is reset") {
                .allDelivered($0.load)
            } story: { stage in
                stage.kernelTakes(0)
                stage.pushAll()
                await stage.isLoaded(inFlight: devices, waiting: stage.load.total - devices)
                stage.resetLink()
                await stage.reconnects()
            },
            ordered("GOAWAY with a reason, in the middle") {
                .allDelivered($0.load)
            } story: { stage in
                await stage.fillUnread(inFlight: devices)
                stage.apple.faults.add(
                    FaultRule(.pushNumber(1 + devices / 2), .goAway(GoAway(reason: "Shutdown")), times: 1))
                stage.arrive()
                await stage.drains()
                await stage.isUp(2)
            },
            ordered("RST_STREAM REFUSED_STREAM, once for each push in flight") {
                .allDelivered($0.load)
            } story: { stage in
                await stage.meetsAtEachDevice(.resetStream(code: 7))
            },
            ordered("RST_STREAM INTERNAL_ERROR, once for each push in flight") {
                .unknown(devices, processed: devices, of: $0.load)
            } story: { stage in
                await stage.meetsAtEachDevice(.resetStream(code: 2))
            },
            ordered("410 Unregistered, once for each push in flight") {
                Counts(delivered: $0.load.total - devices, rejected: devices, processed: $0.load.total)
            } story: { stage in
                await stage.meetsAtEachDevice(.refuse(.unregistered))
            },
            ordered("503 ServiceUnavailable, once for each push in flight, with `statusRetry`") {
                .allDelivered($0.load)
            } story: { stage in
                await stage.meetsAtEachDevice(.refuse(.serviceUnavailable))
                await stage.passesPauses(upTo: .seconds(10)) { stage.book.count >= stage.load.total }
            }.with { fault in
                fault.mayRetry = true
                fault.connection = { $0.retry.statusRetry = StatusRetryPolicy(retries: 3) }
            },
            ordered("no answer within the timeout; what waits for its turn has none either") {
                Counts(notSent: $0.load.total - devices, unknown: devices, processed: devices)
            } story: { stage in
                await stage.meetsAtEachDevice(.hold)
                stage.pass(.seconds(4))
            }.with { $0.connection = { $0.timeout = .seconds(4) } },
            ordered("the process is killed after the server processed everything in flight") {
                .unknown(devices, processed: devices, of: $0.load)
            } story: { stage in
                if let connection = stage.apple.connections.last { stage.apple.holdAnswers(on: .only(connection)) }
                stage.pushAll()
                await stage.sees("\(devices) pushes in the ledger") { $0.pushes == 1 + devices }
                await stage.isLoaded(inFlight: devices, waiting: stage.load.total - devices)
                await stage.killProcess()
            },
        ])

    private static let devices = 10

    private static func ordered(
        _ name: String, expected: @escaping @Sendable (Cell) -> Counts,
        story: @escaping @Sendable (FaultStage) async throws -> Void
    ) -> FaultCase {
        FaultCase(name, expected: expected, story: story).with { fault in
            fault.loads = [.thousand, .behindTheLimit]
            fault.devices = devices
            // Which of several devices is next on a link is not decided by the order of the calls.
            fault.keepsOrder = false
        }
    }
}

extension FaultStage {
    /// The first push to each device meets the fault, and none after it.
    func meetsAtEachDevice(_ what: Fault) async {
        let devices = fault.devices ?? 0
        await fillUnread(inFlight: devices)
        apple.faults.add(FaultRule(.push, what, times: devices))
        arrive()
        await provesRulesAreSpent()
    }
}
