/// How many workers, links and servers a load needs.
struct ScalePlan {
    /// What is to be pushed, and over what.
    struct Load {
        /// Tokens a second at the peak.
        var peak = 116_000.0
        /// Tokens of an entry.
        var tokensPerEntry = 256
        /// From a push to its answer, in seconds, and how many pushes a link has under way at most.
        var roundTrip = 0.05
        var streams = 1_000
        /// Cores of a worker, and links of it.
        var coresPerWorker = 2
        var linksPerWorker = 8
        /// How much of the whole capacity the peak uses.
        var use = 0.6
    }

    /// What a link reaches of what its streams and its round trip allow: 0.945, see `Benchmarks/README.md`.
    static let linkEfficiency = 0.945

    let load: Load
    let costs: ScaleCosts
    var leastWorkers = 2

    /// Tokens a second over one link.
    var linkRate: Double { Double(load.streams) / load.roundTrip * Self.linkEfficiency }
    /// Tokens a second of one worker: its links and its cores bound it.
    var workerRate: Double {
        min(linkRate * Double(load.linksPerWorker), Double(load.coresPerWorker) * 1_000_000 / costs.workerPerToken)
    }
    var workers: Int { max(leastWorkers, Int((load.peak / load.use / workerRate).rounded(.up))) }
    var links: Int { workers * load.linksPerWorker }

    var entryRate: Double { load.peak / Double(load.tokensPerEntry) }
    /// Cores of the servers at the peak.
    var serverCores: Double {
        (entryRate * costs.serverPerEntry + load.peak * costs.serverPerToken) / 1_000_000
    }
    /// Servers of which each is half busy at the peak. Each has queues of its own: a queue is on one server.
    var servers: Int { max(1, Int((serverCores / 0.5).rounded(.up))) }

    /// Bytes of the servers' memory for tokens that wait.
    func memory(ofBacklog tokens: Double) -> Double {
        tokens / Double(load.tokensPerEntry) * costs.memoryPerEntry + tokens * costs.memoryPerToken
    }
    /// Bytes a second at the peak.
    var logRate: Double { entryRate * costs.logPerEntry + load.peak * costs.logPerToken }
    var wireRate: Double { load.peak * costs.wirePerToken }
}
