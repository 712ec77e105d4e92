import ArgumentParser

/// `PushBench scale`: the plan for loads beyond one machine, and what happens to it in trouble.
struct ScaleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scale",
        abstract: "Calculate workers, links and servers for a load, and simulate failures: Markdown tables.")

    @Option(help: "Processor time of a worker for each token, in microseconds.")
    var worker = ScaleCosts().workerPerToken

    @Option(help: "Seed of the simulation.")
    var seed: UInt64 = 1

    func run() throws {
        var costs = ScaleCosts()
        costs.workerPerToken = worker
        let plans = [116_000.0, 1_000_000].flatMap { peak in
            [256, 1].map { tokens in
                var load = ScalePlan.Load()
                (load.peak, load.tokensPerEntry) = (peak, tokens)
                return ScalePlan(load: load, costs: costs)
            }
        }
        let report = ScaleReport(plans: plans, seed: seed)
        print([report.plan, try report.troubles, try report.rehearsal].joined(separator: "\n\n"))
    }
}
