/// What a command prints when it was asked to end and waits for work under way.
package enum StopNotice {
    /// - Parameters:
    ///   - underWay: How many.
    ///   - what: The name of one, such as `push`.
    ///   - drain: How long they may take.
    ///   - rest: What becomes of those that have not ended then, after "leaves it" or "leaves them".
    /// - Returns: Nil if the command does not wait.
    package static func line(
        _ signal: StopSignal, underWay count: Int, what: String = "push", drain: Duration,
        rest: String = "as unknown"
    ) -> String? {
        guard count > 0, drain > .zero else { return nil }
        let seconds = drain / .seconds(1)
        let time = seconds == seconds.rounded() ? String(Int(seconds)) : String(seconds)
        let plural = what.hasSuffix("sh") ? "\(what)es" : "\(what)s"
        let again = signal == .interrupt ? "Ctrl-C once more" : "another signal"
        return "pushctl: stopping: \(Figures.grouped(count)) \(count == 1 ? what : plural) under way,"
            + " up to \(time) s; \(again) after a second leaves"
            + " \(count == 1 ? "it" : "them") \(rest)"
    }
}
