import ProcessRuntime
import PushProtocol

extension ConnectionStatus {
    private enum CodingKeys: String, CodingKey {
        case name, pid, phase, outage, refusal, refusalReason, refusalLayer, generation, inFlight, waiting,
            waitingBytes, retrying, retryingBytes, streamLimit, isThrottled, isShortOfWindow, openStreams
        case host, port, proxy, credential, lateStreams, rttSeconds, drainingLinks, tokenAgeSeconds, counters
    }

    /// Writes the properties under their names; `pid` as text, and `rttSeconds` and `tokenAgeSeconds` as numbers. The
    /// refusal's sentence is `refusal`; beside it are `refusalReason` and `refusalLayer`.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(name, forKey: .name)
        try values.encodeIfPresent(pid?.description, forKey: .pid)
        try values.encode(phase.rawValue, forKey: .phase)
        try values.encodeIfPresent(outage, forKey: .outage)
        try values.encodeIfPresent(refusal?.description, forKey: .refusal)
        try values.encodeIfPresent(refusal?.reason?.rawValue, forKey: .refusalReason)
        try values.encodeIfPresent(refusal?.layer.name, forKey: .refusalLayer)
        try values.encode(host, forKey: .host)
        try values.encode(port, forKey: .port)
        try values.encodeIfPresent(proxy, forKey: .proxy)
        try values.encode(credential, forKey: .credential)
        try values.encode(generation, forKey: .generation)
        try values.encode(inFlight, forKey: .inFlight)
        try values.encode(waiting, forKey: .waiting)
        try values.encode(waitingBytes, forKey: .waitingBytes)
        try values.encode(retrying, forKey: .retrying)
        try values.encode(retryingBytes, forKey: .retryingBytes)
        try values.encode(streamLimit, forKey: .streamLimit)
        try values.encode(isThrottled, forKey: .isThrottled)
        try values.encode(isShortOfWindow, forKey: .isShortOfWindow)
        try values.encode(openStreams, forKey: .openStreams)
        try values.encode(lateStreams, forKey: .lateStreams)
        try values.encode(drainingLinks, forKey: .drainingLinks)
        try values.encodeIfPresent(rtt?.inSeconds, forKey: .rttSeconds)
        try values.encodeIfPresent(tokenAge?.inSeconds, forKey: .tokenAgeSeconds)
        try values.encode(counters, forKey: .counters)
    }

    /// Reads what `encode(to:)` has written.
    ///
    /// - Throws: `DecodingError`, also for a phase that this version does not know.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = try values.decodeIfPresent(String.self, forKey: .name)
        pid = try values.decodeIfPresent(String.self, forKey: .pid).flatMap(ProcessID.init(description:))
        let word = try values.decode(String.self, forKey: .phase)
        guard let phase = ConnectionPhase(rawValue: word) else {
            throw DecodingError.dataCorruptedError(
                forKey: .phase, in: values, debugDescription: "There is no phase \(word).")
        }
        self.phase = phase
        outage = try values.decodeIfPresent(Outage.self, forKey: .outage)
        let reason = try values.decodeIfPresent(String.self, forKey: .refusalReason)
        let layer = try values.decodeIfPresent(String.self, forKey: .refusalLayer)
        refusal = try values.decodeIfPresent(String.self, forKey: .refusal).map { sentence in
            CredentialRefusal(
                reason.map(RejectionReason.init(rawValue:)), at: layer.map(ErrorLayer.init(name:)) ?? .apns, sentence)
        }
        host = try values.decode(String.self, forKey: .host)
        port = try values.decode(Int.self, forKey: .port)
        proxy = try values.decodeIfPresent(String.self, forKey: .proxy)
        credential = try values.decode(CredentialSummary.self, forKey: .credential)
        generation = try values.decode(Int.self, forKey: .generation)
        inFlight = try values.decode(Int.self, forKey: .inFlight)
        waiting = try values.decode(Int.self, forKey: .waiting)
        waitingBytes = try values.decode(Int.self, forKey: .waitingBytes)
        // Earlier versions did not say it.
        retrying = try values.decodeIfPresent(Int.self, forKey: .retrying) ?? 0
        retryingBytes = try values.decodeIfPresent(Int.self, forKey: .retryingBytes) ?? 0
        streamLimit = try values.decode(Int.self, forKey: .streamLimit)
        isThrottled = try values.decode(Bool.self, forKey: .isThrottled)
        isShortOfWindow = try values.decodeIfPresent(Bool.self, forKey: .isShortOfWindow) ?? false
        openStreams = try values.decode(Int.self, forKey: .openStreams)
        lateStreams = try values.decode(Int.self, forKey: .lateStreams)
        drainingLinks = try values.decode(Int.self, forKey: .drainingLinks)
        rtt = try values.durationIfPresent(.rttSeconds)
        tokenAge = try values.durationIfPresent(.tokenAgeSeconds)
        counters = try values.decode(ConnectionCounters.self, forKey: .counters)
    }
}

extension KeyedDecodingContainer {
    /// A duration in seconds. One that a `Duration` could not hold is an error, and not a trap.
    fileprivate func durationIfPresent(_ key: Key) throws -> Duration? {
        guard let seconds = try decodeIfPresent(Double.self, forKey: key) else { return nil }
        guard (0...1e12).contains(seconds) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "\(seconds) is not a number of seconds from 0 to 1e12.")
        }
        return .seconds(seconds)
    }
}
