/// The client side of one HTTP/2 connection: requests and bytes in, events and bytes out.
///
/// Not thread-safe and not Sendable: it is confined to its owner. It knows no socket and no clock. Give it what arrived
/// (`receive`), send what it makes (`produce`), and after both look at the events. Every stream ends with exactly one
/// event, `response` or `closed`, unless it was `reset` by the caller or the session dies first; `openStreams` tells
/// which those are.
package final class ClientSession {
    /// How a session behaves from its start.
    package struct Configuration: Sendable {
        /// Streams that may be opened before the peer's first SETTINGS. Those above it wait inside the session. 1…2^31-1.
        package var assumedMaxConcurrentStreams = 1
        /// Bytes of a response's header list, as RFC 9113 section 6.5.2 counts them, that are kept. Advertised.
        package var maxHeaderListBytes = 16 * 1_024
        /// Fields of a response that are kept.
        package var maxHeaderFields = 128
        /// Bytes of a response's body that are kept.
        package var maxBodyBytes = 16 * 1_024
        /// Bytes the peer may send without that a stream ends; beyond them the session ends. Twice of what a thousand
        /// answers of the sizes above hold.
        package var maxIdleBytes = 64 * 1_024 * 1_024
        /// Bytes of bodies the peer may send on the connection before it waits for us; 65,535 at least.
        package var connectionWindow = 256 * 1_024
        /// The first stream's id, odd. A high one shows what happens when ids run out.
        package var firstStreamID: StreamID = 1

        package init() {}
    }

    // One exclusive access a call: within it, nghttp2's callbacks reach the value by pointer (see `SessionSide`).
    private var core: ClientCore

    /// Makes a session and queues the connection preface and SETTINGS (ENABLE_PUSH 0).
    package init(_ configuration: Configuration) throws(SessionError) {
        core = try ClientCore(configuration)
        try core.start()
    }

    // MARK: Requests

    /// Queues a request. Ids are 1, 3, 5 … in the order of the calls.
    ///
    /// - Parameters:
    ///   - body: empty: HEADERS end the stream.
    ///   - tag: comes back with the stream's last event.
    /// - Throws: `cannotOpenStream` after GOAWAY, when ids ran out, or when the session is dead;
    ///   `headersTooLarge` when the header block could never be sent. Neither changes the session; who counts ids of his
    ///   own calls `skipStream`.
    package func submit(_ fields: FieldList, body: [UInt8], tag: Int) throws(SessionError) -> StreamID {
        try core.submit(fields, body: body, tag: tag)
    }

    /// Requests with fields of this size or more are refused: nghttp2 sends header blocks of 64 KiB at most, and its bound
    /// for one never exceeds the list's size.
    package static let maxFieldListSize = 65_536

    /// Leaves out the next id, for a request that its caller numbered and cannot make. Ids need only ascend (RFC 9113
    /// section 5.1.1).
    package func skipStream() { core.skipStream() }

    /// The stream of the latest request that was taken; 0 before the first.
    package var lastSubmitted: StreamID { core.lastSubmitted }

    /// Ends a stream. No event of it is delivered afterwards; if no frame of it was produced yet, none ever is.
    package func reset(_ stream: StreamID, _ code: HTTP2ErrorCode) { core.reset(stream, code) }

    /// Tells the peer that this connection opens no more streams. Those that are open go on.
    package func goAway() { core.goAway() }

    /// Lets nothing more go out of requests that have not wholly left: for a connection that is being closed. No event of
    /// them is delivered any more.
    package func withhold() { core.withhold() }

    /// Queues a PING with this payload.
    package func ping(_ payload: UInt64) { core.session.ping(payload) }

    // MARK: What is known

    /// How much of an open stream was produced; nil if it has ended, or was never submitted.
    package func progress(of stream: StreamID) -> StreamProgress? { core.progress(of: stream) }

    /// What arrived of a stream's answer, if a valid final status did and the stream has not ended; `isComplete` is false.
    package func partialResponse(of stream: StreamID) -> Response? { core.partialResponse(of: stream) }

    /// The streams without a last event, by id. Take the events first.
    package func openStreams() -> [OpenStream] { core.openStreams() }

    /// Streams that nghttp2 still holds, the silent ones included.
    package var streamsHeld: Int { core.streams.count }

    /// Why the session is dead; nil while it lives.
    package var failure: SessionError? { core.session.failure }

    // MARK: Bytes in

    /// Takes bytes of the peer, cut anywhere, and appends what they mean to `list`.
    ///
    /// - Throws: when the peer breaks the protocol. The events before that are in the list; the session is dead, its
    ///   GOAWAY can still be produced, and `openStreams` still answers.
    package func receive(_ bytes: UnsafeRawBufferPointer, into list: inout [ClientEvent]) throws(SessionError) {
        try core.receive(bytes, into: &list)
    }

    /// Whether `takeEvents` has any: `produce` can end streams too, where a violation is answered by RST_STREAM.
    package var hasEvents: Bool { !core.events.isEmpty }

    /// Moves the events that `produce` gave rise to into `list`. `receive` does so too.
    package func takeEvents(into list: inout [ClientEvent]) { core.takeEvents(into: &list) }

    // MARK: Bytes out

    /// Bytes ever produced.
    package var producedBytes: UInt64 { core.session.producedBytes }

    /// Whether `produce` has something to do. (It may then turn out to be bookkeeping only, without a byte.)
    package var hasOutput: Bool { core.session.hasOutput }

    /// Whether nothing will come in or go out any more: close the connection.
    package var isFinished: Bool { core.session.isFinished }

    /// Appends whole frames to `buffer` until it holds `limit` bytes or more, or nothing is left.
    ///
    /// A frame is never cut, so up to 16 KiB more than `limit` may lie there. After the session died, what explains
    /// its death to the peer (GOAWAY) is still produced; then nothing.
    package func produce(into buffer: inout [UInt8], upTo limit: Int) throws(SessionError) {
        try core.produce(into: &buffer, upTo: limit)
    }

    /// What tells the peer why this session died: the GOAWAY by itself, without the requests that may stand before it.
    /// Empty if the session lives, or if it was produced.
    package func lastWords() -> [UInt8] { core.lastWords() }
}
