/// What a token, an entry and an outcome cost. The defaults are measured; `docs/scale.md` says how.
struct ScaleCosts {
    /// Processor time of a worker for each token, in microseconds: the push and its queue.
    var workerPerToken = 15.0
    /// Processor time of the server for each entry, and for each of its tokens, in microseconds: from enqueue to settle.
    var serverPerEntry = 13.2
    var serverPerToken = 2.3
    /// The server's memory for each entry that waits, and for each of its tokens, in bytes.
    var memoryPerEntry = 110.0
    var memoryPerToken = 80.0
    /// The server's log for each entry, and for each of its tokens, in bytes: from enqueue to settle.
    var logPerEntry = 530.0
    var logPerToken = 315.0
    /// The server's memory for a stored outcome, in bytes.
    var memoryPerOutcome = 262.0
    /// Bytes on the wire to APNs for each push: what `Benchmarks/README.md` has for one with a header of its own, and its
    /// answer.
    var wirePerToken = 400.0
}
