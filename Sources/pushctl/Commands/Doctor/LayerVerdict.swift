/// The result for one layer.
package struct LayerVerdict: Sendable, Equatable {
    package enum Verdict: String, Sendable {
        case ok
        /// It does not stop pushes now, but may do so later.
        case warning
        case fail
        case skipped
    }

    package let layer: DoctorLayer
    package let verdict: Verdict
    /// How long the layer took; nil if nothing was measured.
    package let duration: Duration?
    /// What was seen, on one line.
    package let detail: String
    /// Likely causes and what to do next; nil except for a failure or a warning.
    package let advice: String?

    package init(
        _ layer: DoctorLayer, _ verdict: Verdict, _ detail: String, after duration: Duration? = nil,
        advice: String? = nil
    ) {
        self.layer = layer
        self.verdict = verdict
        self.duration = duration
        self.detail = detail
        self.advice = advice
    }
}
