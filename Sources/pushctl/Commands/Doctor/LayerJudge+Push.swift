import PushTerminal
import SupervisedPush

/// The layers that the answer to the push decides.
extension LayerJudge {
    private var answer: DoctorFacts.Answer? { try? facts.answer?.result.get() }

    private var response: (status: Int, reason: String?, sentence: String?)? {
        guard case .response(let status, let reason, let sentence)? = answer else { return nil }
        return (status, reason, sentence)
    }

    private var refusal: String? {
        if let refusal = facts.refusal { return refusal }
        if case .refused(let sentence)? = answer { return sentence }
        guard let response, response.status == 403 else { return nil }
        let words = response.sentence.map { " \($0)" } ?? ""
        return "The server answered 403 \(response.reason ?? "without a reason").\(words)"
    }

    private var refusalReason: String? { facts.refusalReason ?? response?.reason }

    // MARK: Clock

    /// The server's time is the best judge. Most servers do not send it.
    var clock: LayerVerdict {
        if let ahead = facts.clockAhead { return judged(ahead) }
        if let code = facts.securing?.failure?.code, DoctorAdvice.datesOfCertificates.contains(code) {
            let detail = "By this machine's clock, \(dates), and all else fits: the clock may be wrong."
            return LayerVerdict(.clock, is: .warning, detail: detail, advice: advice.dates)
        }
        if facts.makesTokens, let refusal, refusalReason == RejectionReason.expiredProviderToken.rawValue {
            let detail = "The server calls a token expired that was made a moment ago. \(refusal)"
            return LayerVerdict(.clock, is: .fail, detail: detail, advice: advice.behind)
        }
        guard facts.answer != nil || (facts.signal == nil && facts.clockSync != .unknown) else {
            return notReached(.clock)
        }
        switch facts.clockSync {
        case .synchronized:
            return LayerVerdict(.clock, is: .ok, detail: "this machine says that its clock is synchronized")
        case .unsynchronized:
            let detail = "the server does not say its time, and this machine says that its clock is not synchronized"
            return LayerVerdict(.clock, is: .skipped, detail: detail)
        case .unknown: return LayerVerdict(.clock, is: .skipped, detail: "the server does not say its time")
        }
    }

    private func judged(_ ahead: Int64) -> LayerVerdict {
        let direction = ahead > 0 ? "behind" : "ahead of"
        guard abs(ahead) > Self.clockTolerance else {
            let seconds = abs(ahead)
            return LayerVerdict(
                .clock, is: .ok, detail: seconds <= 1 ? "right" : "\(seconds) s \(direction) the server's")
        }
        let detail = "This machine's clock is \(Figures.span(ahead)) \(direction) the server's."
        guard let refusal else { return LayerVerdict(.clock, is: .warning, detail: detail, advice: advice.clock) }
        return LayerVerdict(.clock, is: .fail, detail: "\(detail) \(refusal)", advice: advice.clock)
    }

    private var dates: String {
        let isEarly = facts.securing?.failure?.code == DoctorAdvice.certificateNotYetValid
        return isEarly ? "the server's certificate is not valid yet" : "the server's certificate has expired"
    }

    // MARK: Credential and topic

    var credential: LayerVerdict {
        if let problem = facts.credentialProblem {
            return LayerVerdict(.credential, is: .fail, detail: problem, advice: advice.credentialFiles)
        }
        guard facts.hasCredential else { return LayerVerdict(.credential, is: .skipped, detail: "none was given") }
        if let refusal {
            return LayerVerdict(
                .credential, is: .fail, detail: refusal, advice: advice.credential(after: refusalReason))
        }
        guard facts.answer != nil, let credential = facts.credential else { return notReached(.credential) }
        let text = credential.text(at: facts.now)
        guard let response, response.status < 429 else {
            return LayerVerdict(.credential, is: .skipped, detail: "\(text); the server has not judged it")
        }
        return LayerVerdict(.credential, is: .ok, detail: text)
    }

    var topic: LayerVerdict {
        guard facts.hasCredential else { return LayerVerdict(.topic, is: .skipped, detail: "there is no credential") }
        guard let answer else { return notReached(.topic) }
        switch answer {
        case .response(let status, let reason?, let sentence) where Self.topicReasons.contains(reason):
            let words = sentence.map { " \($0)" } ?? ""
            return LayerVerdict(
                .topic, is: .fail, detail: "The server answered \(status) \(reason).\(words)", advice: advice.topic)
        case .none("invalid_request", let sentence, _):
            return LayerVerdict(.topic, is: .fail, detail: sentence, advice: advice.topic)
        case .response(let status, let reason, _) where isHealthy(status, reason):
            return LayerVerdict(.topic, is: .ok, detail: facts.topic ?? "the certificate's")
        case .response, .none, .refused, .foreign:
            return LayerVerdict(.topic, is: .skipped, detail: "the answer does not tell")
        }
    }

    private func isHealthy(_ status: Int, _ reason: String?) -> Bool {
        status == 200 || reason.map(Self.expectedReasons.contains) == true
    }

    // MARK: Push

    var push: LayerVerdict {
        guard facts.hasCredential else { return LayerVerdict(.push, is: .skipped, detail: "there is no credential") }
        guard let step = facts.answer, let answer else { return notReached(.push) }
        switch answer {
        case .response(200, _, _):
            let detail = "200: a device token of zeros was accepted, so this is a gateway or a simulator, not APNs"
            return LayerVerdict(.push, is: .ok, detail: detail, after: step.duration)
        case .response(let status, let reason, _) where isHealthy(status, reason):
            let detail =
                "\(status) \(reason ?? ""), the expected answer for a device that does not exist; nothing was delivered"
            return LayerVerdict(.push, is: .ok, detail: detail, after: step.duration)
        case .response(let status, let reason, let sentence):
            let words = sentence.map { " \($0)" } ?? ""
            let detail = "The server answered \(status) \(reason ?? "without a reason").\(words)"
            return LayerVerdict(.push, is: .fail, detail: detail, after: step.duration, advice: advice.push)
        case .foreign(let status, let server):
            let name = server.map { " (\($0))" } ?? ""
            let detail = "The server answered \(status) without apns-id and reason: it is not APNs\(name)."
            return LayerVerdict(.push, is: .fail, detail: detail, after: step.duration, advice: advice.foreign)
        case .none(_, let sentence, _), .refused(let sentence):
            return LayerVerdict(.push, is: .fail, detail: sentence, after: step.duration, advice: advice.noAnswer)
        }
    }
}
