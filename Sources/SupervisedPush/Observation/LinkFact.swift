import PushHTTP2
import PushTransport

/// What happens to one link, as the process sees it on the wire. ``ConnectionFact`` is what the machine decides from
/// it.
enum LinkFact {
    /// An attempt to connect began.
    case dialed
    /// TLS is established, and the server verified.
    case secured(isResumed: Bool)
    /// The server has none of the pinned keys, only these, and was accepted because of `reportOnly`.
    case unpinned([KeyPin])
    case settings(PeerSettings)
    case goAway(lastStream: Int32, HTTP2ErrorCode, reason: String?)
    case ping
    case pong
    case lost(LinkFailure)
    case closed
    case abandoned
}

extension LinkFact {
    var flightEvent: FlightEvent {
        switch self {
        case .dialed: .dialing
        case .secured(let isResumed): .secured(isResumed: isResumed)
        case .unpinned: .note("pin_mismatch")
        case .settings(let settings):
            .settings(
                maxStreams: settings.maxConcurrentStreams.map(Int32.init(clamping:)) ?? -1,
                initialWindow: Int32(clamping: settings.initialWindowSize),
                maxFrame: Int32(clamping: settings.maxFrameSize))
        case .goAway(let lastStream, let code, let reason):
            .goAway(lastStream: lastStream, code: code.rawValue, reason: GoAwayReason.word(reason))
        case .ping: .ping
        case .pong: .pong
        case .lost(let failure): .lost(failure)
        case .closed: .closed
        case .abandoned: .abandoned
        }
    }

    func count(into counters: inout ConnectionCounters) {
        switch self {
        case .dialed: counters.dials += 1
        case .goAway: counters.goAways += 1
        case .lost, .abandoned: counters.linksLost += 1
        case .secured, .unpinned, .settings, .ping, .pong, .closed: break
        }
    }
}

extension ConnectionFact {
    /// Its entry in the flight record; nil if it has none.
    var flightEvent: FlightEvent? {
        switch self {
        case .connectionUp(let generation): .up(generation: Int32(clamping: generation))
        case .reconnecting(let attempt, let delay, _):
            .reconnecting(
                attempt: Int32(clamping: attempt), milliseconds: Int32(clamping: Int64(delay / .milliseconds(1))))
        case .draining(let generation, _): .draining(generation: Int32(clamping: generation))
        case .suspended(let refusal, let nextProbe):
            .suspended(
                reason: GoAwayReason.word(refusal.reason?.rawValue),
                milliseconds: Int32(clamping: Int64(nextProbe / .milliseconds(1))))
        case .credentialRefused(let refusal): .refused(reason: GoAwayReason.word(refusal.reason?.rawValue))
        case .replacementFailed: .note("replacement_failed")
        case .retriesStopped: .note("retries_stopped")
        case .late(_, let streamID, let outcome): .late(stream: streamID.stream, isAnswered: outcome.isAnswered)
        }
    }

    func count(into counters: inout ConnectionCounters) {
        switch self {
        case .connectionUp: counters.linksUp += 1
        case .reconnecting: counters.reconnects += 1
        case .late(_, _, let outcome): if outcome.isAnswered { counters.lateAnswers += 1 }
        case .suspended: counters.suspensions += 1
        case .draining, .replacementFailed, .credentialRefused, .retriesStopped: break
        }
    }
}

extension LateResponse.Outcome {
    fileprivate var isAnswered: Bool {
        if case .answered = self { true } else { false }
    }
}
