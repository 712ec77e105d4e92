/// Pushes at a rate, up to a full load.
protocol PacedWork {
    /// The most pushes a second, measured for half a second if they are about so many.
    func fullLoad(about perSecond: Double) async throws -> Double

    /// `perSecond` pushes for so long.
    func run(perSecond: Double, seconds: Double) async throws -> PacedLoad.Result
}
