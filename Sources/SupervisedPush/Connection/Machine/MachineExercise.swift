import ProcessRuntime
import PushHTTP2

/// A connection machine alone, with a link that is up and answers everything with 200, for the micro-benchmark, which
/// cannot access the machine itself.
package struct MachineExercise {
    private var machine: ConnectionMachine
    private var records: [PushRecord] = []
    private var actions: [ConnectionAction] = []
    private let link = LinkID(number: 1)
    private let answer = PushResponse(status: 200)
    private let now = MonotonicInstant(nanoseconds: 0)

    /// - Parameter inFlight: The pushes of one burst, at most 1,000: as many as the link takes.
    package init(inFlight: Int, push: Push) {
        machine = ConnectionMachine(
            settings: ConnectionSettings(), process: ProcessID(1), seed: 1,
            credential: ShownCredential(isHealthy: true))
        machine.handle(.start, now, into: &actions)
        machine.handle(.burst(link, [.settings(maxStreams: 1_000)], hasBytes: true), now, into: &actions)
        let times = PushTimes(
            timeout: .seconds(10), timeoutFromCall: now.advanced(by: .seconds(10)), deadline: nil, expiration: nil)
        let head = RequestHead(push.notification, to: push.deviceToken, defaults: RequestDefaults(), apnsID: nil)
        records = (0..<inFlight).map { number in
            PushRecord(id: PushID(number: UInt64(number)), push: push, head: head, times: times)
        }
    }

    /// A burst of pushes, each submitted and then answered. Returns how many ended.
    package mutating func burst() -> Int {
        actions.removeAll(keepingCapacity: true)
        // The peer takes whatever there is.
        machine.handle(.window(link, SendWindow(connection: 1 << 30)), now, into: &actions)
        machine.handle(.taken(RoomSupply(pushes: records.map { WaitingPush($0) })), now, into: &actions)
        let submitted = actions
        actions.removeAll(keepingCapacity: true)
        var news: [LinkNews] = []
        for case .submit(_, _, let slot, _, _, _) in submitted { news.append(.answered(slot: slot, answer)) }
        machine.handle(.burst(link, news, hasBytes: true), now, into: &actions)
        return actions.count { if case .finish = $0 { true } else { false } }
    }
}
