/// A figure that is promised, and what it must be.
struct Goal {
    /// Whether less is better or more.
    enum Direction { case atMost, atLeast }

    let title: String
    let figure: String
    let subject: String
    let value: String
    /// Whom it is compared with in the same round; nil: it stands for itself.
    var baseline: String? = "h2load"
    var direction = Direction.atMost
    let must: Double?
    var aim: Double?

    func verdict(_ result: Double) -> String {
        guard let must else { return "" }
        if let aim, meets(result, aim) { return "aim" }
        return meets(result, must) ? "yes" : "**no**"
    }

    private func meets(_ result: Double, _ bound: Double) -> Bool {
        direction == .atMost ? result <= bound : result >= bound
    }

    var bounds: String {
        let sign = direction == .atMost ? "≤" : "≥"
        let must = must.map { "\(sign) \(Samples.text($0))" } ?? ""
        return "\(must) | \(aim.map { "\(sign) \(Samples.text($0))" } ?? "")"
    }

    /// In the order of the report.
    static let all = pushes + queue

    private static let pushes = [
        Goal(
            title: "client CPU per push, completion form, payload shared", figure: "push", subject: "completion",
            value: "cpu_us", must: 1, aim: 0.75),
        Goal(
            title: "… with apns-ids of our own", figure: "push", subject: "own_ids", value: "cpu_us",
            must: nil),
        Goal(
            title: "client CPU per push, async form, payload shared", figure: "push", subject: "async",
            value: "cpu_us", must: 1.4, aim: 1.1),
        Goal(
            title: "… with apns-ids of our own", figure: "push", subject: "async_own_ids", value: "cpu_us", must: nil),
        Goal(
            title: "client CPU per push, async form, a typed alert each", figure: "push",
            subject: "personalised", value: "cpu_us", must: 1.8, aim: 1.4),
        Goal(
            title: "pushctl bulk, CSV to outcomes file, CPU per push", figure: "push", subject: "pushctl bulk",
            value: "cpu_us", must: 1.5, aim: 1.2),
        Goal(
            title: "… over a pool of 4 connections", figure: "push", subject: "pushctl bulk, pool of 4",
            value: "cpu_us", must: 1.6, aim: 1.3),
        Goal(
            title: "instructions per push, completion form", figure: "instructions", subject: "completion",
            value: "instructions", must: nil),
        Goal(
            title: "instructions per push, async form", figure: "instructions", subject: "async",
            value: "instructions", must: nil),
        Goal(
            title: "instructions per push, async form, a typed alert each", figure: "instructions",
            subject: "personalised", value: "instructions", must: nil),
        Goal(
            title: "instructions per push, pool of 4, completion form", figure: "instructions", subject: "pool",
            value: "instructions", must: nil),
        Goal(
            title: "instructions per push, pushctl bulk", figure: "instructions", subject: "pushctl bulk",
            value: "instructions", must: nil),
        Goal(
            title: "… over a pool of 4 connections", figure: "instructions", subject: "pushctl bulk, pool of 4",
            value: "instructions", must: nil),
        Goal(
            title: "pool of 4 at full load, share of the busiest connection, %, completion form", figure: "pool",
            subject: "completion", value: "most_share", baseline: nil, must: 30),
        Goal(
            title: "… of the least busy", figure: "pool", subject: "completion", value: "least_share", baseline: nil,
            direction: .atLeast, must: 20),
        Goal(
            title: "… of the busiest, async form", figure: "pool", subject: "async", value: "most_share",
            baseline: nil, must: 30),
        Goal(
            title: "… of the least busy, async form", figure: "pool", subject: "async", value: "least_share",
            baseline: nil, direction: .atLeast, must: 20),
        Goal(
            title: "pool of 4, one push at a time: processes woken by a push", figure: "pool", subject: "completion",
            value: "wakes", baseline: nil, must: 1.05),
        Goal(
            title: "throughput, completion form", figure: "push", subject: "completion", value: "pushes_per_s",
            direction: .atLeast, must: 1, aim: 1.3),
        Goal(
            title: "throughput, async form", figure: "push", subject: "async", value: "pushes_per_s",
            direction: .atLeast, must: nil),
        Goal(
            title: "wire bytes per push, same headers", figure: "wire", subject: "completion", value: "bytes_up",
            must: 1),
        Goal(
            title: "… with apns-ids of our own", figure: "wire", subject: "own_ids", value: "bytes_up",
            must: nil),
        Goal(
            title: "TLS records per push, 1,000 in flight", figure: "wire", subject: "completion",
            value: "records_up", baseline: nil, must: 0.1, aim: 0.05),
        Goal(
            title: "write calls per push, 1,000 in flight", figure: "calls", subject: "completion",
            value: "writes", baseline: nil, must: 0.1, aim: 0.05),
        Goal(
            title: "one push at a time, latency p50", figure: "single", subject: "async", value: "p50_us", must: 2),
        Goal(
            title: "… completion form", figure: "single", subject: "completion", value: "p50_us", must: nil),
        Goal(
            title: "part load, 95 % of our own full load: refused pushes", figure: "paced at 95 %", subject: "ours",
            value: "refused", baseline: nil, must: 0),
        Goal(
            title: "… latency p99 from when a push was due, µs", figure: "paced at 95 %", subject: "ours",
            value: "p99_us", baseline: nil, must: 5_000),
        Goal(
            title: "a push that a full queue refuses, CPU", figure: "refused", subject: "ours", value: "cpu_us",
            baseline: nil, must: nil),
        Goal(
            title: "pushes/s at 50 ms round trip, of 20,000", figure: "delayed", subject: "completion",
            value: "of_limit", baseline: nil, direction: .atLeast, must: 0.95, aim: 0.97),
        Goal(
            title: "… with a window of 65,535 bytes, of 7,992", figure: "window", subject: "completion",
            value: "of_limit", baseline: nil, direction: .atLeast, must: nil),
        Goal(
            title: "RSS per idle TLS connection, 1,000 connections", figure: "idle 1000", subject: "ours",
            value: "kib_per_connection", must: 1),
        Goal(
            title: "… in KiB", figure: "idle 1000", subject: "ours", value: "kib_per_connection", baseline: nil,
            must: 52, aim: 40),
        Goal(
            title: "RSS per idle TLS connection, 10,000 connections", figure: "idle 10000", subject: "ours",
            value: "kib_per_connection", must: 1),
        Goal(
            title: "… in KiB", figure: "idle 10000", subject: "ours", value: "kib_per_connection", baseline: nil,
            must: 45, aim: 36),
        Goal(
            title: "peak RSS with 1,000 in flight, MiB", figure: "push", subject: "completion", value: "peak_mib",
            baseline: nil, must: 28, aim: 20),
        Goal(
            title: "threads above the cores, 10,000 busy connections, completion form", figure: "busy 10000",
            subject: "completion", value: "threads_above_cores", baseline: nil, must: 4),
        Goal(
            title: "threads above twice the cores, 10,000 busy connections, async form", figure: "busy 10000",
            subject: "async", value: "threads_above_twice_cores", baseline: nil, must: 4),
        Goal(
            title: "1,000,000-push bulk: RSS growth after the first 100,000, MiB", figure: "million",
            subject: "pushctl bulk", value: "growth_mib", baseline: nil, must: 1),
        Goal(
            title: "p99 of one connection while another is black-holed, to before", figure: "black hole",
            subject: "ours", value: "p99_ratio", baseline: nil, must: 1.2),
        Goal(
            title: "round trips from TCP established to the first answer, TLS 1.3", figure: "first",
            subject: "ours", value: "round_trips", baseline: nil, must: 3.3),
    ]
}
