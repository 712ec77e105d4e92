import PushTerminal
import SupervisedPush

/// Judges each layer separately.
struct LayerJudge {
    /// Reasons which mean that credential and topic were accepted, and only the device is unknown.
    static let expectedReasons: Set<String> = ["BadDeviceToken", "DeviceTokenNotForTopic", "Unregistered"]
    static let topicReasons: Set<String> = ["TopicDisallowed", "MissingTopic", "BadTopic"]
    /// How many seconds a clock may be wrong before it is named as the cause of a refusal.
    static let clockTolerance: Int64 = 300

    let facts: DoctorFacts
    let advice: DoctorAdvice

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

    func notReached(_ layer: DoctorLayer) -> LayerVerdict {
        LayerVerdict(layer, is: .skipped, detail: facts.signal.map { "stopped by \($0.name)" } ?? "not reached")
    }

    // MARK: The route

    private var resolve: LayerVerdict {
        guard let step = facts.resolution else { return notReached(.resolve) }
        switch step.result {
        case .success(let literals):
            let six = literals.count { $0.contains(":") }
            let shown = literals.prefix(8).joined(separator: ", ") + (literals.count > 8 ? ", …" : "")
            return LayerVerdict(
                .resolve, is: .ok, detail: "\(shown) (IPv4: \(literals.count - six), IPv6: \(six))",
                after: step.duration)
        case .failure(let failure):
            return LayerVerdict(
                .resolve, is: .fail, detail: failure.sentence, after: step.duration, advice: advice.resolve)
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
        guard !isReached else { return LayerVerdict(.connect, is: .ok, detail: detail, after: facts.connecting) }
        return LayerVerdict(.connect, is: .fail, detail: "\(detail).", after: facts.connecting, advice: advice.connect)
    }

    private var proxy: LayerVerdict {
        guard let proxy = facts.proxy else {
            return LayerVerdict(.proxy, is: .skipped, detail: facts.proxyPassedBy ?? "no proxy is used")
        }
        guard let step = facts.tunnel else { return notReached(.proxy) }
        if let failure = step.failure {
            return LayerVerdict(
                .proxy, is: .fail, detail: failure.sentence, after: step.duration, advice: advice.proxy(failure))
        }
        return LayerVerdict(
            .proxy, is: .ok, detail: "\(proxy) made a tunnel to \(facts.endpoint)", after: step.duration)
    }

    private var tls: LayerVerdict {
        if let problem = facts.trustProblem {
            return LayerVerdict(
                .tls, is: .fail, detail: problem, advice: "Check --trust-roots, a file of PEM certificates.")
        }
        guard let step = facts.securing else { return notReached(.tls) }
        if let failure = step.failure, failure.code != DoctorAdvice.noHTTP2 {
            return LayerVerdict(
                .tls, is: .fail, detail: failure.sentence, after: step.duration, advice: advice.tls(failure))
        }
        guard let handshake = facts.handshake else {
            let detail = "the server speaks TLS, and ended the handshake at ALPN"
            return LayerVerdict(.tls, is: .ok, detail: detail, after: step.duration)
        }
        var parts = ["\(handshake.version), \(handshake.cipher)"]
        if let subject = handshake.subject, let issuer = handshake.issuer {
            parts.append("certificate \(subject), issued by \(issuer)")
        }
        if let notAfter = handshake.notAfter { parts.append("valid until \(UTC.text(notAfter))") }
        return LayerVerdict(.tls, is: .ok, detail: parts.joined(separator: "; "), after: step.duration)
    }

    private var alpn: LayerVerdict {
        guard let step = facts.securing else { return notReached(.alpn) }
        guard let failure = step.failure else { return LayerVerdict(.alpn, is: .ok, detail: "h2") }
        let chosen = facts.handshake?.applicationProtocol.map { " It chose \($0)." } ?? ""
        return LayerVerdict(.alpn, is: .fail, detail: failure.sentence + chosen, advice: advice.alpn)
    }

    private var settings: LayerVerdict {
        guard let step = facts.settings else { return notReached(.settings) }
        switch step.result {
        case .success(let limit): return LayerVerdict(.settings, is: .ok, detail: streams(limit), after: step.duration)
        case .failure(let failure):
            return LayerVerdict(
                .settings, is: .fail, detail: failure.sentence, after: step.duration, advice: advice.settings)
        }
    }

    private func streams(_ limit: Int?) -> String {
        guard let limit else { return "no limit of streams" }
        let text = "streams at a time: \(Figures.grouped(limit))"
        // APNs takes one request until it has accepted the token in it.
        return limit == 1 && !facts.showsCertificate ? text + " until a provider token is accepted" : text
    }
}
