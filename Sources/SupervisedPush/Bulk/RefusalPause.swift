import ProcessRuntime

/// Decides when pushes pause because APNs refuses their sender, or does not serve, and when one of them probes whether it
/// still does. A bulk and a worker have one each.
///
/// The first such answer begins a pause if no push was accepted yet, or if nothing else is left. Otherwise three in a row
/// do that have used up the credit of the acceptances before: a service that fails now and then takes pushes all the same,
/// and in a burst its rejections arrive behind all acceptances. In a pause one push at a time is handed over, after
/// 1 s, then 2 s, doubling to 60 s. If it is accepted, or rejected for a reason of its own, the pause ends. Answers to
/// pushes that were handed over before the pause decide nothing.
package struct RefusalPause: Sendable, Equatable {
    /// This many refusals, without an acceptance between them, begin a pause.
    package static let refusalsInARow = 3
    /// A refusal uses up the credit of this many acceptances.
    static let price = 10
    /// The most credit that acceptances earn: as many as a link has in flight.
    static let mostCredit = 1_000
    package static let shortest = Duration.seconds(1)
    package static let longest = Duration.seconds(60)

    /// What APNs refuses; nil if there is no pause.
    package private(set) var cause: PushResponse.Subject?
    /// Since when APNs refuses, without an acceptance.
    private var since: MonotonicInstant?
    private var time = shortest
    private var probeAt = MonotonicInstant(nanoseconds: 0)
    /// The probe is on its way.
    package private(set) var isProbing = false
    private var inARow = 0
    private var credit = 0
    private var hasAccepted = false

    package init() {}

    /// How long a push that was refused this often waits, if there is no pause.
    package static func delay(after times: Int) -> Duration {
        min(shortest * (1 << min(max(times - 1, 0), 6)), longest)
    }

    /// Whether there is a pause.
    package var stands: Bool { cause != nil }

    /// Whether acceptances need not be told.
    package var isHealthy: Bool { credit == Self.mostCredit && since == nil }

    // MARK: Answers

    /// A push was accepted.
    package mutating func accepted() {
        hasAccepted = true
        guard !stands || isProbing else { return }
        (since, time, inARow) = (nil, Self.shortest, 0)
        credit = min(credit + 1, Self.mostCredit)
        resume()
    }

    /// A push was rejected for a reason of its own or its device's. APNs serves, but whether it accepts the sender is not
    /// sure: if it does not, the next pause goes on where this one ends.
    package mutating func rejected() {
        if isProbing { resume() }
    }

    /// A push was refused.
    ///
    /// - Parameter isAlone: Whether no other push is on its way, or follows.
    /// - Returns: How long until the next probe, if a pause begins, or its probe was refused.
    package mutating func refused(
        _ subject: PushResponse.Subject, isAlone: Bool, _ now: MonotonicInstant
    ) -> Duration? {
        if stands {
            guard isProbing else { return nil }
            time = min(time * 2, Self.longest)
        } else {
            inARow += 1
            credit = max(0, credit - Self.price)
            guard isAlone || !hasAccepted || inARow >= Self.refusalsInARow && credit == 0 else { return nil }
            since = since ?? now
        }
        cause = subject
        probeEnded(now)
        return time
    }

    private mutating func resume() { (cause, isProbing) = (nil, false) }

    // MARK: Probes

    /// When the next probe is due; nil if there is no pause, or a probe is on its way.
    package var nextProbe: MonotonicInstant? { stands && !isProbing ? probeAt : nil }

    package func mayProbe(_ now: MonotonicInstant) -> Bool { nextProbe.map { $0 <= now } ?? false }

    package mutating func beginProbe() { isProbing = true }

    /// The probe ended without an answer. The next one waits as long as this one did.
    package mutating func probeEnded(_ now: MonotonicInstant) {
        isProbing = false
        probeAt = now.advanced(by: time)
    }

    // MARK: Its end

    /// When it has lasted this long; nil if there is no pause.
    package func end(_ limit: Duration) -> MonotonicInstant? { stands ? since?.advanced(by: limit) : nil }

    /// Whether it has lasted this long.
    package func lasts(_ limit: Duration, _ now: MonotonicInstant) -> Bool { end(limit).map { $0 <= now } ?? false }
}

/// Why a bulk or a worker pauses: APNs refuses what all its pushes share, or does not serve.
public struct PushPause: Sendable {
    /// The answer that says so. Its reason and advice say what to do.
    public let response: PushResponse
    /// What it judges: `sender` or `service`.
    public let judges: PushResponse.Subject
    /// How long no push goes out. Then one does, as a probe.
    public let nextProbe: Duration

    package init(response: PushResponse, judges: PushResponse.Subject, nextProbe: Duration) {
        self.response = response
        self.judges = judges
        self.nextProbe = nextProbe
    }
}

extension PushResponse {
    /// What the answer judges, if that is neither the push nor its device; else nil.
    ///
    /// - Parameter namesTopic: Whether the push names its topic itself. A reason about the topic then judges the push.
    package func refusal(namesTopic: Bool) -> Subject? {
        guard let subject = judges, subject.leavesPushOpen else { return nil }
        return namesTopic && reason?.concernsTopic == true ? nil : subject
    }
}
