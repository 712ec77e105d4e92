import SupervisedPush

/// The verdicts, which follow only from the facts.
///
/// A failed layer hides those above it, so later layers are skipped. The one exception is a credential whose files
/// can't be used, because that is known without the network.
struct Diagnosis: Sendable {
    let verdicts: [LayerVerdict]
    let status: ExitStatus

    var firstFailure: LayerVerdict? { verdicts.first { $0.verdict == .fail } }

    /// A problem that does not stop pushes today; nil if there is a failure.
    var warning: LayerVerdict? { firstFailure == nil ? verdicts.first { $0.verdict == .warning } : nil }

    init(_ facts: DoctorFacts) {
        let judge = LayerJudge(facts)
        var verdicts: [LayerVerdict] = []
        var failed: DoctorLayer?
        for layer in DoctorLayer.allCases {
            var verdict = judge.verdict(of: layer)
            if let failed, !(layer == .credential && facts.credentialProblem != nil) {
                verdict = LayerVerdict(layer, .skipped, "\(failed.rawValue) failed")
            }
            if verdict.verdict == .fail { failed = failed ?? layer }
            verdicts.append(verdict)
        }
        self.verdicts = verdicts
        status = Self.status(facts, failed)
    }

    /// One paragraph for a person: what failed, likely causes, and what to do next.
    var explanation: String {
        guard let failure = firstFailure else {
            let isComplete = verdicts.allSatisfy { $0.layer != .push || $0.verdict == .ok }
            let all =
                isComplete ? "Link, credential and topic are accepted" : "The walk was ended before it was complete"
            guard let warning else { return isComplete ? "All is well: \(all.lowercasedFirst)." : "\(all)." }
            return "\(all). But: \(warning.detail) \(warning.advice ?? "")"
        }
        let advice = failure.advice.map { " \($0)" } ?? ""
        let stop = failure.detail.hasSuffix(".") ? "" : "."
        return "The first layer that fails is \(failure.layer.rawValue): \(failure.detail)\(stop)\(advice)"
    }

    /// The first status that applies, in the documented order.
    private static func status(_ facts: DoctorFacts, _ failed: DoctorLayer?) -> ExitStatus {
        if let signal = facts.signal { return signal.status }
        if facts.credentialProblem != nil || facts.trustProblem != nil { return .configuration }
        switch failed {
        case nil: return .success
        case .resolve, .connect, .proxy, .tls, .alpn, .settings: return .unavailable
        case .clock, .credential: return .refused
        case .topic: return .rejectedOrFailed
        case .push:
            if case .none(_, _, mayHaveArrived: true)? = try? facts.answer?.result.get() { return .unknown }
            return .rejectedOrFailed
        }
    }
}
