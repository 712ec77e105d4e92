/// One thing a simulated APNs does wrong on purpose. Done at once by ``SimulatedAPNs/perform(_:on:)``, or by a ``FaultRule`` when its moment comes.
///
/// Some faults belong to a push, some to an open connection, some to a connection that is being set up; ``occasions`` tells. One that does
/// not belong to the moment of its rule means nothing there, and ``FaultRule/check()`` objects to it.
public enum Fault: Sendable, Hashable {
    // MARK: Faults of a push

    /// The answer comes later.
    case delay(Latency)
    /// The push is refused for this reason, if it would be accepted (row 29 of the order of checks).
    case refuse(Refusal)
    /// RST_STREAM instead of an answer (RFC 9113, section 6.4). With REFUSED_STREAM (7) the push is not processed and not in the ledger,
    /// with any other code it is.
    case resetStream(code: UInt32)
    /// The push is processed and its answer kept back until ``SimulatedAPNs/releaseAnswers(_:on:)``.
    case hold
    /// The connection ends before the push is processed: it is not in the ledger. ``cut(_:)`` ends it after.
    case cutUnprocessed(Cut)
    /// The answer begins and does not end.
    case halfAnswer(HalfAnswer)
    /// The answer is none that APNs would give.
    case malformedAnswer(Malformation)
    /// The answer, whichever it is, has this `retry-after` (RFC 9110, section 10.2.3): a number of seconds or a date.
    case retryAfter(String)
    /// The answer's header list has so many bytes (RFC 9113, section 6.5.2) and a few more, 16 MiB at most.
    case oversizedHeaders(bytes: Int)
    /// The answer's body has so many bytes, 64 MiB at most: the JSON of its reason with a filler, or the filler alone.
    case oversizedBody(bytes: Int)
    /// Something comes on the stream after its answer was complete.
    case afterAnswer(LateFrame)
    /// PUSH_PROMISE on the stream before its answer, although a provider forbids it (RFC 9113, section 8.4).
    case pushPromise

    // MARK: Faults of an open connection

    /// GOAWAY.
    case goAway(GoAway)
    /// The connection ends. The answers given before are written first; the push that brought it was processed and is not answered. At
    /// `connecting`: the provider is turned away before TLS.
    case cut(Cut)
    /// Nothing is written any more, not even PING's answer; what arrives is still processed. At `connected` not even SETTINGS come.
    case mute
    /// Nothing is written and nothing processed any more, for as long as the connection lives: a network that swallows packets. At
    /// `connecting`: the connection is accepted, and not even TLS is answered.
    case deafen
    /// Nothing is read any more, so that the provider's bytes fill the kernel's buffers; what is due is still written. The push that
    /// brought it is the last that is processed.
    case stopReading
    /// PINGs are not answered any more; everything else goes on.
    case ignorePings
    /// New SETTINGS (RFC 9113, section 6.5).
    case settings(SettingsChange)
    /// A frame that breaks HTTP/2.
    case brokenFrame(BrokenFrame)
    /// Many frames that say nothing.
    case flood(Flood)

    // MARK: Faults of a connection that is being set up

    /// TLS begins so much later.
    case delayHandshake(Duration)
    /// The server's part of the TLS handshake comes a few bytes at a time.
    case dribbleHandshake(Dribble)
    /// Something is wrong with TLS.
    case tls(TLSFault)
    /// The first bytes are answered with `HTTP/1.1 400` in plain text, as by a proxy, and the connection ends.
    case plainText

    /// How a connection ends.
    public enum Cut: Sendable, Hashable {
        /// With FIN, without a word of TLS or HTTP/2.
        case finish
        /// With RST.
        case reset
    }

    /// When a fault can happen.
    public enum Occasion: Sendable, Hashable, CaseIterable {
        /// A provider connects, before TLS.
        case connecting
        /// A connection is open.
        case open
        /// A push arrived.
        case push
    }

    /// When this fault means something.
    public var occasions: Set<Occasion> {
        switch self {
        case .delay, .refuse, .resetStream, .hold, .cutUnprocessed, .halfAnswer, .malformedAnswer, .retryAfter,
            .oversizedHeaders, .oversizedBody, .afterAnswer, .pushPromise:
            [.push]
        case .goAway, .mute, .stopReading, .ignorePings, .settings, .brokenFrame: [.open, .push]
        case .cut, .deafen: [.connecting, .open, .push]
        case .delayHandshake, .dribbleHandshake, .tls, .plainText: [.connecting]
        case .flood(let flood): flood.needsPush ? [.push] : [.open, .push]
        }
    }
}

extension Fault {
    /// True where the answer itself is another one, or has something before or behind it.
    var shapesAnswer: Bool {
        switch self {
        case .halfAnswer, .malformedAnswer, .retryAfter, .oversizedHeaders, .oversizedBody, .afterAnswer, .pushPromise:
            true
        case .flood(let flood): flood.needsPush
        default: false
        }
    }

    var refusal: Refusal? {
        if case .refuse(let refusal) = self { refusal } else { nil }
    }

    var latency: Latency? {
        if case .delay(let latency) = self { latency } else { nil }
    }

    var resetCode: UInt32? {
        if case .resetStream(let code) = self { code } else { nil }
    }

    var earlyCut: Cut? {
        if case .cutUnprocessed(let cut) = self { cut } else { nil }
    }
}
