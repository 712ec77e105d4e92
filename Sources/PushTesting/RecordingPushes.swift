import ProcessRuntime
import PushLocking
import SupervisedPush

/// A fake that records pushes and broadcasts and answers them as the test says, without a simulator, a runtime or a network.
///
/// ```swift
/// let recorder = RecordingPushes()
/// let gates = GateService(push: recorder)                     // takes any PushSending
/// try await gates.announce("B12", to: .simulated())
/// #expect(recorder.pushes.map(\.deviceToken) == [.simulated()])
/// ```
/// Every push is accepted, unless the test says otherwise: with a closure for all, or with ``answerNext(_:)`` for the next ones.
///
/// It is for the unit tests of code that takes `any PushSending` or `any BroadcastSending`. It checks nothing that APNs or a connection
/// would refuse, and nothing takes time: for that, run the code against a simulator with
/// ``withSimulatedAPNs(connecting:over:time:timeLimit:runtime:configure:isolation:_:)``. All members may be called from any thread or task.
public final class RecordingPushes: PushSending, BroadcastSending {
    /// How a push ends: with an answer, which may be a rejection, or with an error.
    public typealias Answer = Result<PushResponse, PushError>

    /// A push that was made, in any form.
    public struct Recorded: Sendable {
        /// The notification, its device token, and the caller's context.
        public let push: Push
        /// The options it was made with.
        public let options: PushOptions
        /// How it ended.
        public let answer: Answer

        /// The notification.
        public var notification: PushNotification { push.notification }
        /// The device token.
        public var deviceToken: DeviceToken { push.deviceToken }
    }

    /// A broadcast that was made, in any form.
    public struct RecordedBroadcast: Sendable {
        /// The notification, its channel, and the caller's context.
        public let broadcast: Broadcast
        /// The options it was made with.
        public let options: PushOptions
        /// How it ended.
        public let answer: Answer

        /// The notification.
        public var notification: PushNotification { broadcast.notification }
        /// The channel.
        public var channel: ChannelID { broadcast.channel }
    }

    private struct State {
        var pushes: [Recorded] = []
        var broadcasts: [RecordedBroadcast] = []
        var next: [Answer] = []
    }

    private let state = Locked(State())
    private let answer: @Sendable (Push) -> Answer
    private let answerToBroadcast: @Sendable (Broadcast) -> Answer

    /// Makes a fake that has recorded nothing.
    ///
    /// - Parameters:
    ///   - answering: Answers each push for which ``answerNext(_:)`` left no answer. By default it is accepted.
    ///   - answeringBroadcasts: The same for broadcasts.
    public init(
        answering: @escaping @Sendable (Push) -> Answer = { _ in .accepted },
        answeringBroadcasts: @escaping @Sendable (Broadcast) -> Answer = { _ in .accepted }
    ) {
        (answer, answerToBroadcast) = (answering, answeringBroadcasts)
    }

    /// Answers the next pushes and broadcasts with these, one each, in the order of the calls. Later calls add to them.
    ///
    /// ```swift
    /// recorder.answerNext(.rejected(.unregistered), .failure(PushError(.connectionLost, certainty: .unknown)))
    /// ```
    public func answerNext(_ answers: Answer...) { state.withLock { $0.next += answers } }

    /// The pushes that were made, in the order of the calls.
    public var pushes: [Recorded] { state.withLock { $0.pushes } }

    /// The broadcasts that were made, in the order of the calls.
    public var broadcasts: [RecordedBroadcast] { state.withLock { $0.broadcasts } }

    /// Waits for pushes, in a test of code that pushes in a task of its own.
    ///
    /// - Parameters:
    ///   - count: The number of pushes, including those that were made before the call.
    ///   - timeout: The longest time to wait, in real time. 30 s by default.
    /// - Returns: ``pushes``, at least `count` of them.
    /// - Throws: ``TimeLimitExceeded``, or `CancellationError` if the task was cancelled.
    @discardableResult
    public func waitForPushes(_ count: Int, within timeout: Duration = .seconds(30)) async throws -> [Recorded] {
        guard try await look(within: timeout, { pushes.count >= count }) else {
            throw TimeLimitExceeded(
                description: "\(count) pushes were waited for, within \(timeout), and \(pushes.count) came.")
        }
        return pushes
    }

    // MARK: What a service calls

    /// Records a push and answers it.
    @discardableResult
    public func push(_ push: Push, options: PushOptions) async throws(PushError) -> PushResponse {
        try record(push, options: options).get()
    }

    /// Records a push. An answer goes nowhere; an error that says `notSent` is thrown, as by a call that refuses the push.
    public func send(_ push: Push, options: PushOptions) throws(PushError) {
        try record(push, options: options).refusing()
    }

    /// Records a broadcast and answers it.
    public func push(_ broadcast: Broadcast, options: PushOptions) async throws(PushError) -> PushResponse {
        try record(broadcast, options: options).get()
    }

    /// Records a broadcast. An answer goes nowhere; an error that says `notSent` is thrown.
    public func send(_ broadcast: Broadcast, options: PushOptions) throws(PushError) {
        try record(broadcast, options: options).refusing()
    }

    func record(_ push: Push, options: PushOptions) -> Answer {
        let answer = (nextAnswer() ?? answer(push)).carrying(push.context)
        state.withLock { $0.pushes.append(Recorded(push: push, options: options, answer: answer)) }
        return answer
    }

    func record(_ broadcast: Broadcast, options: PushOptions) -> Answer {
        let answer = (nextAnswer() ?? answerToBroadcast(broadcast)).carrying(broadcast.context)
        state.withLock {
            $0.broadcasts.append(RecordedBroadcast(broadcast: broadcast, options: options, answer: answer))
        }
        return answer
    }

    private func nextAnswer() -> Answer? {
        state.withLock { $0.next.isEmpty ? nil : $0.next.removeFirst() }
    }
}

/// Answers for a fake.
extension Result where Success == PushResponse, Failure == PushError {
    /// The push is accepted: 200.
    public static var accepted: Self { .success(PushResponse(status: 200)) }

    /// APNs rejects the push for this reason, with the status that usually comes with it (400 for a reason that is not known). A 410
    /// says that the device is gone as of now.
    public static func rejected(_ reason: RejectionReason) -> Self {
        let status = reason.usualStatus ?? 400
        let time = status == 410 ? #","timestamp":\#(SystemTime().wallClockMilliseconds)"# : ""
        return .success(PushResponse(status: status, body: Array(#"{"reason":"\#(reason.rawValue)"\#(time)}"#.utf8)))
    }

    fileprivate func refusing() throws(PushError) {
        guard case .failure(let error) = self, error.certainty == .notSent else { return }
        throw error
    }
}
