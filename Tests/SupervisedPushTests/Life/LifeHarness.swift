import ProcessRuntime

@testable import SupervisedPush

/// A life and what it decides, in words. Deadlines are seconds.
struct LifeHarness {
    var life: LifeMachine
    var now = MonotonicInstant(nanoseconds: 0)

    static let refusal = CredentialRefusal(.badCertificateEnvironment, at: .http2, "refused")

    init(_ kind: LifeMachine.Kind) { life = LifeMachine(kind) }

    /// - Parameter members: the numbers of the pool's connections.
    static func pool(_ members: Int...) -> LifeHarness {
        var harness = LifeHarness(.pool)
        for member in members { harness.say(.memberJoins(member)) }
        return harness
    }

    /// After these events.
    func after(_ events: LifeMachine.Event...) -> LifeHarness {
        var harness = self
        for event in events { harness.say(event) }
        return harness
    }

    @discardableResult
    mutating func say(_ event: LifeMachine.Event) -> [String] { life.handle(event, now).map(Self.word) }

    static func at(_ seconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: seconds * 1_000_000_000) }

    private static func word(_ action: LifeMachine.Action) -> String {
        switch action {
        case .begin(let pid): "begin \(pid)"
        case .tellEnd(let pid, let reason): "tell end of \(pid): \(reason)"
        case .release: "release"
        case .closeRoom(let deadline): "close room by \(seconds(deadline))"
        case .endRoom(let end): "end room: \(word(end))"
        case .close(let deadline, let isLeaving): "close by \(seconds(deadline))" + (isLeaving ? ", leaving" : "")
        case .stopProcess(let end): "stop process: \(word(end))"
        case .acceptOffers: "accept offers"
        case .declineOffers: "decline offers"
        case .awaitCompletions: "await completions"
        case .forget: "forget"
        case .giveBack: "give back"
        case .postGivenUp: "post given up"
        case .endMessages: "end messages"
        case .resumeClosers: "resume closers"
        }
    }

    private static func word(_ end: LifeEnd) -> String {
        switch end {
        case .closed: "closed"
        case .givenUp: "given up"
        case .refused: "refused"
        }
    }

    private static func seconds(_ instant: MonotonicInstant) -> Int64 { instant.nanoseconds / 1_000_000_000 }

    // What all ends have in common.

    static func ending(_ end: String) -> [String] { ["decline offers", "end room: \(end)", "await completions"] }
    static let closed = ["forget", "give back", "end messages", "resume closers"]
    static let givenUp = ["forget", "give back", "post given up", "end messages", "resume closers"]
}

extension LifeMachine.Event {
    static func close(_ seconds: Int64) -> Self { .close(by: LifeHarness.at(seconds)) }
    static func began(_ pid: UInt64) -> Self { .processBegan(ProcessID(pid)) }
    static func ended(_ pid: UInt64, _ reason: ExitReason = .killed) -> Self { .processEnded(ProcessID(pid), reason) }
}
