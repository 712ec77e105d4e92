/// One worker of the simulation: how many tokens it has, and what hinders it.
struct ScaleWorker {
    /// Tokens that it has taken and that have no outcome. Fractions are fine: there are many.
    var held = 0.0
    /// Those that were with a worker that died, and that a living one takes over at the instant.
    var stranded: [(tokens: Double, at: Double)] = []
    /// When it lives again; nil while it lives.
    var diedUntil: Double?
    /// When its links are up; nil if there is no server to reach.
    var linksUpAt: Double? = 0
    /// The pause before the next attempt to connect, and when that is.
    var pause = 0.0
    var dialAt = 0.0

    func isUp(_ now: Double) -> Bool { diedUntil == nil && (linksUpAt.map { $0 <= now } ?? false) }
}
