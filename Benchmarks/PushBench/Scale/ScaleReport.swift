/// The plans and their troubles as Markdown.
struct ScaleReport {
    let plans: [ScalePlan]
    let seed: UInt64

    /// A row for each figure, a column for each plan.
    var plan: String {
        var rows: [(String, (ScalePlan) -> String)] = []
        rows.append(("tokens in an entry", { "\($0.load.tokensPerEntry)" }))
        rows.append(("tokens a second of one worker", { Self.grouped($0.workerRate) }))
        rows.append(("workers of 2 cores, 60 % used", { "\($0.workers)" }))
        rows.append(("links to APNs", { "\($0.links)" }))
        rows.append(("entries a second", { Self.grouped($0.entryRate) }))
        rows.append(("cores of Redis", { Self.decimal($0.serverCores) }))
        rows.append(("Redis servers, half busy", { "\($0.servers)" }))
        rows.append(("Redis' log, MB/s", { Self.decimal($0.logRate / 1e6) }))
        rows.append(("ten minutes that wait, GB", { Self.decimal($0.memory(ofBacklog: $0.load.peak * 600) / 1e9) }))
        rows.append(("a minute of outcomes, GB", { Self.decimal($0.load.peak * 60 * $0.costs.memoryPerOutcome / 1e9) }))
        rows.append(("wire to APNs, Mbit/s", { Self.grouped($0.wireRate * 8 / 1e6) }))
        let head = "| | " + plans.map { "\(Self.grouped($0.load.peak))/s" }.joined(separator: " | ") + " |"
        let line = "|---|" + plans.map { _ in "---:|" }.joined()
        let body = rows.map { row in "| \(row.0) | " + plans.map(row.1).joined(separator: " | ") + " |" }
        return ([head, line] + body).joined(separator: "\n")
    }

    /// A row for each trouble of the plans with large entries.
    ///
    /// - Throws: ``BenchError`` if tokens were lost: then the simulation is wrong.
    var troubles: String {
        get throws {
            var lines = [Self.head]
            for plan in plans where plan.load.tokensPerEntry > 1 {
                lines += try Self.cases.map { try row(plan, $0.0, $0.1, seconds: 3_600) }
            }
            return lines.joined(separator: "\n")
        }
    }

    /// A load and an outage as small as `Benchmarks/run/queue-outage.sh` makes them, to compare the two.
    ///
    /// - Throws: As ``troubles``.
    var rehearsal: String {
        get throws {
            var load = ScalePlan.Load()
            (load.peak, load.streams, load.linksPerWorker, load.use) = (1_100, 100, 1, 1)
            let plan = ScalePlan(load: load, costs: ScaleCosts(), leastWorkers: 1)
            let lines = try row(plan, "APNs cannot be reached for 30 s", .init(outage: (20, 30)), seconds: 300)
            return ([Self.head] + [lines]).joined(separator: "\n")
        }
    }

    private static let cases: [(String, ScaleSimulation.Trouble)] = [
        ("none", .init()),
        ("a worker dies every 10 s", .init(deathEvery: 10)),
        ("a third of the workers dies at once", .init(massDeath: (600, 0.34))),
        ("APNs cannot be reached for ten minutes", .init(outage: (600, 600))),
        ("… and a third of the workers dies when it is back", .init(massDeath: (1_200, 0.34), outage: (600, 600))),
        ("Redis does not answer for 15 s", .init(serverOutage: (600, 15))),
    ]

    private static let head = [
        "| load | trouble | most that wait, tokens | … in Redis, GB | longest wait, s | drained after, s | twice | unknown |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ].joined(separator: "\n")

    private func row(
        _ plan: ScalePlan, _ name: String, _ trouble: ScaleSimulation.Trouble, seconds: Double
    ) throws -> String {
        let result = ScaleSimulation.run(plan, trouble, seconds: seconds, seed: seed)
        guard abs(result.lost) < 1 else { throw BenchError("The simulation lost \(result.lost) tokens.") }
        let cells = [
            "\(Self.grouped(plan.load.peak))/s", name, Self.grouped(result.largestBacklog),
            Self.decimal(plan.memory(ofBacklog: result.largestBacklog) / 1e9), Self.decimal(result.longestWait),
            result.drainedAt.map { Self.grouped($0) } ?? "–", Self.grouped(result.doubted),
            Self.grouped(result.unknown),
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private static func grouped(_ value: Double) -> String {
        var digits = Array(String(Int(value.rounded())))
        var place = digits.count - 3
        while place > 0 {
            digits.insert(",", at: place)
            place -= 3
        }
        return String(digits)
    }

    private static func decimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return value < 0.1 && value > 0 ? "< 0.1" : "\(tenths / 10).\(tenths % 10)"
    }
}
