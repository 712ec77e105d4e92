/// What became of the jobs.
struct Tally {
    var delivered = 0
    var tokensDropped = 0
    var failed = 0
    var deadLetters = 0
    /// Attempts that were followed by another, by their reason. They are no ends.
    var requeued: [String: Int] = [:]

    /// Jobs that have ended.
    var ended: Int { delivered + tokensDropped + failed + deadLetters }

    func print(of jobs: Int) {
        func row(_ name: String, _ count: Int) {
            let padded = name + String(repeating: " ", count: max(1, 32 - name.count))
            Swift.print(padded + String(repeating: " ", count: max(0, 5 - "\(count)".count)) + "\(count)")
        }
        row("delivered", delivered)
        row("device token dropped", tokensDropped)
        row("failed", failed)
        row("dead letter, for a person", deadLetters)
        row("= ended, of \(jobs) jobs", ended)
        for (why, count) in requeued.sorted(by: { $0.key < $1.key }) { row("  requeued: \(why)", count) }
    }
}
