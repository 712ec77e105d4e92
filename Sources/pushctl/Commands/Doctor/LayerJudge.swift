import SupervisedPush

/// Judges each layer separately.
struct LayerJudge {
    /// Reasons which mean that credential and topic were accepted, and only the device is unknown.
    static let expectedReasons: Set<String> = ["BadDeviceToken", "DeviceTokenNotForTopic", "Unregistered"]
    private static let topicReasons: Set<String> = ["TopicDisallowed", "MissingTopic", "BadTopic"]
    /// How many seconds a clock may be wrong before it is named as the cause of a refusal.
    private static let clockTolerance: Int64 = 300

    private let facts: DoctorFacts
    private let advice: DoctorAdvice

    init(_ facts: DoctorFacts) {
        var facts = facts
        // A push that the signal cut off says nothing about the server.
        if facts.signal != nil, case .none? = try? facts.answer?.result.get() { facts.answer = nil }
        self.facts = facts
        advice = DoctorAdvice(facts)
    }

    func verdict(of layer: DoctorLayer) -> LayerVerdict {
        switch layer {
        case .resolve: resolve
        case .connect: connect
        case .proxy: proxy
        case .tls: tls
        case .alpn: alpn
        case .settings: settings
        case .clock: clock
        case .credential: credential
        case .topic: topic
        case .push: push
        }
    }

    private func notReached(_ layer: DoctorLayer) -> LayerVerdict {
        LayerVerdict(layer, .skipped, facts.signal.map { "stopped by \($0.name)" } ?? "not reached")
    }

    // MARK: The route

    private var resolve: LayerVerdict {
        guard let step = facts.resolution else { return notReached(.resolve) }
        switch step.result {
        case .success(let literals):
            let six = literals.count { $0.contains(":") }
            let shown = literals.prefix(8).joined(separator: ", ") + (literals.count > 8 ? ", …" : "")
            return LayerVerdict(
                .resolve, .ok, "\(shown) (IPv4: \(literals.count - six), IPv6: \(six))", after: step.duration)
        case .failure(let failure):
            return LayerVerdict(.resolve, .fail, failure.sentence, after: step.duration, advice: advice.resolve)
        }
    }

    private var connect: LayerVerdict {
        guard let addresses = facts.addresses else { return notReached(.connect) }
        let isReached = addresses.contains { $0.problem == nil }
        let shown = addresses.map { address in
            let family = address.literal.contains(":") ? "IPv6" : "IPv4"
            let milliseconds = DoctorReport.milliseconds(address.duration)
            return "\(family) \(address.literal) \(address.problem ?? "connected") (\(milliseconds) ms)"
        }
        let place = facts.proxy.map { "the proxy \($0)" } ?? "port \(facts.port)"
        let detail = "\(place): \(shown.joined(separator: "; "))"
        guard !isReached else { return LayerVerdict(.connect, .ok, detail, after: facts.connecting) }
        return LayerVerdict(.connect, .fail, "\(detail).", after: facts.connecting, advice: advice.connect)
    }

    private var proxy: LayerVerdict {
        guard let proxy = facts.proxy else { return LayerVerdict(.proxy, .skipped, "no proxy is used") }
        guard let step = facts.tunnel else { return notReached(.proxy) }
        if let failure = step.failure {
            return LayerVerdict(.proxy, .fail, failure.sentence, after: step.duration, advice: advice.proxy(failure))
        }
        return LayerVerdict(.proxy, .ok, "\(proxy) made a tunnel to \(facts.endpoint)", after: step.duration)
    }

    private var tls: LayerVerdict {
        if let problem = facts.trustProblem {
            return LayerVerdict(.tls, .fail, problem, advice: "Check --trust-roots, a file of PEM certificates.")
        }
        guard let step = facts.securing else { return notReached(.tls) }
        if let failure = step.failure, failure.code != DoctorAdvice.noHTTP2 {
            return LayerVerdict(.tls, .fail, failure.sentence, after: step.duration, advice: advice.tls(failure))
        }
        guard let handshake = facts.handshake else {
            let detail = "the server speaks TLS, and ended the handshake at ALPN"
            return LayerVerdict(.tls, .ok, detail, after: step.duration)
        }
        var parts = ["\(handshake.version), \(handshake.cipher)"]
        if let subject = handshake.subject, let issuer = handshake.issuer {
            parts.append("certificate \(subject), issued by \(issuer)")
        }
        if let notAfter = handshake.notAfter { parts.append("valid until \(UTC.text(notAfter))") }
        return LayerVerdict(.tls, .ok, parts.joined(separator: "; "), after: step.duration)
    }

    private var alpn: LayerVerdict {
        guard let step = facts.securing else { return notReached(.alpn) }
        guard let failure = step.failure else { return LayerVerdict(.alpn, .ok, "h2") }
        let chosen = facts.handshake?.applicationProtocol.map { " It chose \($0)." } ?? ""
        return LayerVerdict(.alpn, .fail, failure.sentence + chosen, advice: advice.alpn)
    }

    private var settings: LayerVerdict {
        guard let step = facts.settings else { return notReached(.settings) }
        switch step.result {
        case .success(let limit):
            let streams = limit.map { "streams at a time: \(Figures.grouped($0))" } ?? "no limit of streams"
            return LayerVerdict(.settings, .ok, streams, after: step.duration)
        case .failure(let failure):
            return LayerVerdict(.settings, .fail, failure.sentence, after: step.duration, advice: advice.settings)
        }
    }

    // MARK: The push

    private var response: (status: Int, reason: String?, sentence: String?)? {
        guard case .response(let status, let reason, let sentence)? = try? facts.answer?.result.get() else {
            return nil
        }
        return (status, reason, sentence)
    }

    private var refusal: String? {
        if let refusal = facts.refusal { return refusal }
        if case .refused(let sentence)? = try? facts.answer?.result.get() { return sentence }
        guard let response, response.status == 403 else { return nil }
        let words = response.sentence.map { " \($0)" } ?? ""
        return "The server answered 403 \(response.reason ?? "without a reason").\(words)"
    }

    private var clock: LayerVerdict {
        guard let ahead = facts.clockAhead else {
            let why = facts.answer == nil ? notReached(.clock).detail : "the server does not say its time"
            return LayerVerdict(.clock, .skipped, why)
        }
        let direction = ahead > 0 ? "behind" : "ahead of"
        guard abs(ahead) > Self.clockTolerance else {
            let seconds = abs(ahead)
            return LayerVerdict(.clock, .ok, seconds <= 1 ? "right" : "\(seconds) s \(direction) the server's")
        }
        let detail = "This machine's clock is \(Figures.span(ahead)) \(direction) the server's."
        guard let refusal else { return LayerVerdict(.clock, .warning, detail, advice: advice.clock) }
        return LayerVerdict(.clock, .fail, "\(detail) \(refusal)", advice: advice.clock)
    }

    private var credential: LayerVerdict {
        if let problem = facts.credentialProblem {
            return LayerVerdict(.credential, .fail, problem, advice: advice.credentialFiles)
        }
        if let refusal {
            let reason = facts.refusalReason ?? response?.reason
            return LayerVerdict(.credential, .fail, refusal, advice: advice.credential(after: reason))
        }
        guard facts.answer != nil, let credential = facts.credential else { return notReached(.credential) }
        let text = credential.text(at: facts.now)
        guard let response, response.status < 429 else {
            return LayerVerdict(.credential, .skipped, "\(text); the server has not judged it")
        }
        return LayerVerdict(.credential, .ok, text)
    }

    private var topic: LayerVerdict {
        guard let answer = try? facts.answer?.result.get() else { return notReached(.topic) }
        switch answer {
        case .response(let status, let reason?, let sentence) where Self.topicReasons.contains(reason):
            let words = sentence.map { " \($0)" } ?? ""
            return LayerVerdict(.topic, .fail, "The server answered \(status) \(reason).\(words)", advice: advice.topic)
        case .none("invalid_request", let sentence, _):
            return LayerVerdict(.topic, .fail, sentence, advice: advice.topic)
        case .response(let status, let reason, _) where isHealthy(status, reason):
            return LayerVerdict(.topic, .ok, facts.topic ?? "the certificate's")
        case .response, .none, .refused:
            return LayerVerdict(.topic, .skipped, "the answer does not tell")
        }
    }

    private func isHealthy(_ status: Int, _ reason: String?) -> Bool {
        status == 200 || reason.map(Self.expectedReasons.contains) == true
    }

    private var push: LayerVerdict {
        guard let step = facts.answer, let answer = try? step.result.get() else { return notReached(.push) }
        switch answer {
        case .response(200, _, _):
            let detail = "200: a device token of zeros was accepted, so this is a gateway or a simulator, not APNs"
            return LayerVerdict(.push, .ok, detail, after: step.duration)
        case .response(let status, let reason, _) where isHealthy(status, reason):
            let detail = "\(status) \(reason ?? ""), as it must be for a device that cannot be; nothing was delivered"
            return LayerVerdict(.push, .ok, detail, after: step.duration)
        case .response(let status, let reason, let sentence):
            let words = sentence.map { " \($0)" } ?? ""
            let detail = "The server answered \(status) \(reason ?? "without a reason").\(words)"
            return LayerVerdict(.push, .fail, detail, after: step.duration, advice: advice.push)
        case .none(_, let sentence, _), .refused(let sentence):
            return LayerVerdict(.push, .fail, sentence, after: step.duration, advice: advice.noAnswer)
        }
    }
}
