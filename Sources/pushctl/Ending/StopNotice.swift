/// What a command prints when it was asked to end and waits for work under way.
enum StopNotice {
    /// - Parameters:
    ///   - underWay: How many.
    ///   - what: The name of one, such as `push`.
    ///   - drain: How long they may take.
    ///   - rest: What becomes of those that have not ended then, after "leaves it" or "leaves them".
    /// - Returns: Nil if the command does not wait.
    static func line(
        _ signal: StopSignal, underWay count: Int, _ what: String = "push", drain: Seconds,
        rest: String = "as unknown"
    ) -> String? {
        guard count > 0, drain.value > 0 else { return nil }
        let plural = what.hasSuffix("sh") ? "\(what)es" : "\(what)s"
        let again = signal == .interrupt ? "Ctrl-C once more" : "another signal"
        return "pushctl: stopping: \(Figures.grouped(count)) \(count == 1 ? what : plural) under way,"
            + " up to \(drain.defaultValueDescription) s; \(again) after a second leaves"
            + " \(count == 1 ? "it" : "them") \(rest)"
    }
}
