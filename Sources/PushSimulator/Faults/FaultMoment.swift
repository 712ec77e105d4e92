/// What is known where a rule may take effect.
struct FaultMoment {
    let connection: ConnectionID
    var push: Int?
    var stream: Int32?
    var openPushes = 0
    /// From the first start.
    let time: Duration
    /// Chance says yes.
    var isDrawn = true
}
