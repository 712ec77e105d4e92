/// A deliberate error of a simulated APNs. Performed at once by ``SimulatedAPNs/perform(_:on:)``, or by a ``FaultRule``
/// when it applies.
///
/// Some faults concern a push, some an open connection, and some a connection that is being set up; see ``occasions``.
/// A fault that does not fit the trigger of its rule has no effect, and ``FaultRule/check()`` rejects it.
@nonexhaustive public enum Fault: Sendable, Hashable {
    // MARK: Faults of a push

    /// The answer is delayed.
    case delay(Latency)
    /// The push is refused for this reason if it would be accepted (row 29 of the order of checks).
    case refuse(Refusal)
    /// RST_STREAM instead of an answer (RFC 9113, section 6.4). With REFUSED_STREAM (7) the push is not processed and
    /// not in the ledger; with any other code it is.
    case resetStream(code: UInt32)
    /// The push is processed, and its answer is held until ``SimulatedAPNs/releaseAnswers(_:on:)``.
    case hold
    /// The connection ends before the push is processed, so it is not in the ledger. ``cut(_:)`` ends it afterwards.
    case cutUnprocessed(Cut)
    /// The answer begins but does not end.
    case halfAnswer(HalfAnswer)
    /// The answer is one that APNs would never send.
    case malformedAnswer(Malformation)
    /// The answer, whatever it is, has this `retry-after` (RFC 9110, section 10.2.3): a number of seconds or a date.
    case retryAfter(String)
    /// The header list of the answer has slightly more than this many bytes (RFC 9113, section 6.5.2), at most 16 MiB.
    case oversizedHeaders(bytes: Int)
    /// The body of the answer has this many bytes, at most 64 MiB: the JSON of its reason with padding, or only
    /// padding.
    case oversizedBody(bytes: Int)
    /// A frame follows on the stream after its answer is complete.
    case afterAnswer(LateFrame)
    /// PUSH_PROMISE on the stream before its answer, although the provider disabled it (RFC 9113, section 8.4).
    case pushPromise

    // MARK: Faults of an open connection

    /// GOAWAY.
    case goAway(GoAway)
    /// The connection ends. Earlier answers are written first; the push that triggered it was processed but is not
    /// answered. At `connecting`, the provider is turned away before TLS.
    case cut(Cut)
    /// Nothing is written any more, not even the answer to a PING. What arrives is still processed. At `connected`, not
    /// even SETTINGS are sent.
    case mute
    /// Nothing is written or processed any more while the connection lives, as in a network that drops packets. At
    /// `connecting`, the connection is accepted, but TLS gets no answer.
    case deafen
    /// Nothing is read any more, so the provider's bytes fill the kernel's buffers; due answers are still written. The
    /// push that triggered it is the last one processed.
    case stopReading
    /// PINGs are not answered any more; everything else continues.
    case ignorePings
    /// New SETTINGS (RFC 9113, section 6.5). A smaller INITIAL_WINDOW_SIZE also applies to streams that are open, whose
    /// windows may become negative (section 6.9.2).
    case settings(SettingsChange)
    /// From now on, body bytes are given back to the provider at this pace. ``WindowPace/prompt`` ends an earlier one,
    /// and gives back what was kept.
    case window(WindowPace, of: WindowScope = .connection)
    /// WINDOW_UPDATE by this many bytes, 1…2^31-1, whether they were read or not: for the connection, or for each
    /// stream with an unfinished request.
    case windowUpdate(bytes: Int, of: WindowScope = .connection)
    /// The team gets an app with this topic, and what the push types make of it. Connections that had a push before refuse
    /// it (400 `TopicDisallowed`), because each is bound to the apps of the team at its first push. It has no effect with
    /// ``SimulatedTopics/any``.
    case addTopic(String)
    /// A frame that breaks HTTP/2.
    case brokenFrame(BrokenFrame)
    /// Many useless frames.
    case flood(Flood)

    // MARK: Faults of a connection that is being set up

    /// TLS starts after this delay.
    case delayHandshake(Duration)
    /// The server's part of the TLS handshake is sent a few bytes at a time.
    case dribbleHandshake(Dribble)
    /// TLS is wrong in some way.
    case tls(TLSFault)
    /// The first bytes get `HTTP/1.1 400` in plain text as the answer, as from a proxy, and the connection ends.
    case plainText

    /// How a connection ends.
    @nonexhaustive public enum Cut: Sendable, Hashable {
        /// With FIN, without a message of TLS or HTTP/2.
        case finish
        /// With RST.
        case reset
    }

    /// When a fault can occur.
    @nonexhaustive public enum Occasion: Sendable, Hashable, CaseIterable {
        /// A provider connects, before TLS.
        case connecting
        /// A connection is open.
        case open
        /// A push arrived.
        case push
    }

    /// When this fault has an effect.
    public var occasions: Set<Occasion> {
        switch self {
        case .delay, .refuse, .resetStream, .hold, .cutUnprocessed, .halfAnswer, .malformedAnswer, .retryAfter,
            .oversizedHeaders, .oversizedBody, .afterAnswer, .pushPromise:
            [.push]
        case .goAway, .mute, .stopReading, .ignorePings, .settings, .window, .windowUpdate, .addTopic,
            .brokenFrame:
            [.open, .push]
        case .cut, .deafen: [.connecting, .open, .push]
        case .delayHandshake, .dribbleHandshake, .tls, .plainText: [.connecting]
        case .flood(let flood): flood.needsPush ? [.push] : [.open, .push]
        }
    }
}

extension Fault {
    /// Whether it changes the answer itself, or adds something before or after it.
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

/// SETTINGS values to announce; nil leaves a value unchanged.
public struct SettingsChange: Sendable, Hashable {
    /// MAX_CONCURRENT_STREAMS; 0 stops a provider that respects it.
    public var maxConcurrentStreams: Int?
    /// INITIAL_WINDOW_SIZE, in bytes, up to 2^31-1.
    public var initialWindowSize: Int?

    /// Creates a change that announces the values that are not nil.
    public init(maxConcurrentStreams: Int? = nil, initialWindowSize: Int? = nil) {
        self.maxConcurrentStreams = maxConcurrentStreams
        self.initialWindowSize = initialWindowSize
    }
}

/// What is wrong with the TLS of a connection.
@nonexhaustive public enum TLSFault: String, Sendable, Hashable, CaseIterable {
    /// The server's certificate has expired.
    case expiredCertificate
    /// The server's certificate is for another host.
    case wrongHost
    /// An untrusted authority issued the server's certificate.
    case untrustedAuthority
    /// A client certificate is refused with a TLS alert, even a valid one. A provider without one is served.
    case refusedClientCertificate
    /// The server does not answer ALPN (RFC 7301), like one without HTTP/2.
    case noALPN
    /// The server chooses `http/1.1` by ALPN, although it was not offered.
    case http1

    /// Whether the authority must issue another certificate.
    var needsAuthorityKey: Bool { self == .expiredCertificate || self == .wrongHost }
}
