import PushTerminal
import SupervisedPush

/// The verdicts, which follow only from the facts.
///
/// A failed layer hides those above it, so later layers are skipped. There are two exceptions: a credential whose files
/// can't be used, because that is known without the network, and a clock that may be why TLS failed.
struct Diagnosis: Sendable {
    let verdicts: [LayerVerdict]
    let status: ExitStatus

    private let hasCredential: Bool

    var failures: [LayerVerdict] { verdicts.filter { $0.verdict == .fail } }
    var firstFailure: LayerVerdict? { verdicts.first { $0.verdict == .fail } }

    /// A problem that does not stop pushes today; nil if there is a failure.
    var warning: LayerVerdict? { firstFailure == nil ? verdicts.first { $0.verdict == .warning } : nil }

    /// The layers that were not tested because an earlier one failed.
    var hidden: [DoctorLayer] {
        guard let failure = firstFailure, let index = verdicts.firstIndex(of: failure) else { return [] }
        return verdicts[index...].filter { $0.verdict == .skipped }.map(\.layer)
    }

    init(_ facts: DoctorFacts) {
        let judge = LayerJudge(facts)
        var verdicts: [LayerVerdict] = []
        var failed: DoctorLayer?
        for layer in DoctorLayer.allCases {
            var verdict = judge.verdict(of: layer)
            if let failed, !Self.isKnown(verdict, facts) {
                verdict = LayerVerdict(layer, is: .skipped, detail: "\(failed.rawValue) failed")
            }
            if verdict.verdict == .fail { failed = failed ?? layer }
            verdicts.append(verdict)
        }
        self.verdicts = verdicts
        hasCredential = facts.hasCredential
        let status = Self.status(facts, failed)
        let isToHear = facts.failsOnWarning && verdicts.contains { $0.verdict == .warning }
        self.status = status == .success && isToHear ? .rejectedOrFailed : status
    }

    /// Whether a verdict holds although an earlier layer failed.
    private static func isKnown(_ verdict: LayerVerdict, _ facts: DoctorFacts) -> Bool {
        switch verdict.layer {
        case .credential: facts.credentialProblem != nil
        case .clock: verdict.verdict == .warning && facts.answer == nil
        default: false
        }
    }

    /// A paragraph or two: what failed, likely causes, and what to do next.
    ///
    /// - Parameter withDetails: Whether it repeats what the layers' own lines say.
    func explanation(withDetails: Bool) -> String {
        guard !failures.isEmpty else { return success(withDetails: withDetails) }
        return failures.enumerated().map { number, failure in
            let which =
                number == 0
                ? "The first layer that fails is \(failure.layer.rawValue)"
                : "Apart from that, \(failure.layer.rawValue) fails"
            let details = withDetails ? ": \(failure.detail.asSentence)" : "."
            return [which + details, failure.advice].compactMap(\.self).joined(separator: " ")
        }.joined(separator: "\n")
    }

    private func success(withDetails: Bool) -> String {
        let last: DoctorLayer = hasCredential ? .push : .settings
        guard verdicts.contains(where: { $0.layer == last && $0.verdict == .ok }) else {
            return "The walk was ended before it was complete."
        }
        let what =
            hasCredential
            ? "Link, credential and topic are accepted."
            : "The link comes up. Without a credential, nothing else was tested: give --key or --certificate."
        guard let warning else { return hasCredential ? "All is well: \(what.lowercasedFirst)" : what }
        let words = [withDetails ? warning.detail : "\(warning.layer.rawValue) needs a look.", warning.advice]
        return "\(what) But: " + words.compactMap(\.self).joined(separator: " ")
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

extension String {
    /// With a period at its end.
    fileprivate var asSentence: String { hasSuffix(".") ? self : self + "." }
}
