/// What is printed of a verdict, whatever was examined.
protocol NamedVerdict: Sendable {
    /// At most 10 characters.
    var name: String { get }
    var verdict: LayerVerdict.Verdict { get }
    var duration: Duration? { get }
    var detail: String { get }
    var advice: String? { get }
}

/// The result for one layer.
struct LayerVerdict: NamedVerdict, Equatable {
    enum Verdict: String, Sendable {
        case ok
        /// It does not stop pushes now, but may do so later.
        case warning
        case fail
        case skipped
    }

    let layer: DoctorLayer
    var name: String { layer.rawValue }
    let verdict: Verdict
    /// How long the layer took; nil if nothing was measured.
    let duration: Duration?
    /// What was seen, on one line.
    let detail: String
    /// Likely causes and what to do next; nil except for a failure or a warning.
    let advice: String?

    init(
        _ layer: DoctorLayer, is verdict: Verdict, detail: String, after duration: Duration? = nil,
        advice: String? = nil
    ) {
        self.layer = layer
        self.verdict = verdict
        self.duration = duration
        self.detail = detail
        self.advice = advice
    }
}
