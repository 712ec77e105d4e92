import ProcessRuntime
import PushHTTP2
import PushTransport

@testable import SupervisedPush

/// Bursts of one thing each.
extension ConnectionMachine.Event {
    static func settings(_ link: LinkID, maxStreams: Int?) -> Self {
        .burst(link, [.settings(maxStreams: maxStreams)], hasBytes: false)
    }

    static func answered(
        _ link: LinkID, slot: Int32, _ response: PushResponse, retryFrom: MonotonicInstant? = nil
    ) -> Self {
        .burst(link, [.answered(slot: slot, response, retryFrom: retryFrom)], hasBytes: false)
    }

    static func streamClosed(_ link: LinkID, slot: Int32, _ end: StreamEnd, _ fate: WriteFate) -> Self {
        .burst(link, [.streamClosed(slot: slot, end, fate)], hasBytes: false)
    }

    static func goAway(_ link: LinkID, reason: String?) -> Self {
        .burst(link, [.goAway(reason: reason)], hasBytes: false)
    }

    /// Bytes that mean nothing yet.
    static func received(_ link: LinkID) -> Self { .burst(link, [], hasBytes: true) }

    static func pong(_ link: LinkID, _ ping: UInt64) -> Self { .burst(link, [.pong(ping)], hasBytes: false) }
}
