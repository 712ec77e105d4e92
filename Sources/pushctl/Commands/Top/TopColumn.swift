import PushTerminal
import SupervisedPush

/// The columns of `top`, in the order in which they stand.
enum TopColumn: CaseIterable {
    case name, phase, inFlight, waiting, retrying, limit, rate, rejected, restarts, rtt, generation, tokenAge, pid

    /// The columns that a narrow terminal does without, the first to go first.
    static let leastImportant: [TopColumn] = [
        .pid, .tokenAge, .generation, .rtt, .limit, .restarts, .rejected, .retrying, .waiting,
    ]

    static let shortestName = 8

    var title: String {
        switch self {
        case .name: "NAME"
        case .phase: "PHASE"
        case .inFlight: "IN FLIGHT"
        case .waiting: "WAITING"
        case .retrying: "RETRYING"
        case .limit: "LIMIT"
        case .rate: "PUSHES/S"
        case .rejected: "REJECTED"
        case .restarts: "RESTARTS"
        case .rtt: "RTT"
        case .generation: "GEN"
        case .tokenAge: "TOKEN"
        case .pid: "PID"
        }
    }

    var isText: Bool { self == .name || self == .phase }

    func text(_ row: TopRow) -> String {
        let status = row.status
        return switch self {
        case .name: row.name
        case .phase: row.phase
        case .inFlight: Figures.grouped(status.inFlight)
        case .waiting: Figures.grouped(status.waiting)
        case .retrying: Figures.grouped(status.retrying)
        case .limit: Figures.grouped(status.streamLimit)
        case .rate: row.rate.map(TopFigures.rate) ?? "–"
        case .rejected: Figures.grouped(status.counters.rejected)
        case .restarts: Figures.grouped(status.counters.restarts)
        case .rtt: status.rtt.map(TopFigures.roundTrip) ?? "–"
        // A pool's connections have generations of their own.
        case .generation: row.isPool ? "" : Figures.grouped(status.generation)
        case .tokenAge: status.tokenAge.map { Figures.clock($0 / .seconds(1)) } ?? "–"
        case .pid: status.pid.map { "\($0)" } ?? "–"
        }
    }
}

/// A connection or a pool in `top`.
struct TopRow {
    /// Its place in the tree, and its name or number.
    var name: String
    var isPool = false
    var phase: String
    var tone: Tone
    var status: ConnectionStatus
    /// Pushes that ended a second; nil after one snapshot.
    var rate: Double?
    /// Why no link is up, and when the next attempt begins.
    var failure: String?
}

/// Numbers of `top`, short.
enum TopFigures {
    /// `8,120`, `12.5`
    static func rate(_ rate: Double) -> String {
        rate.isFinite && rate >= 100 ? Figures.grouped(Int(min(rate, 1e12).rounded())) : Figures.tenths(max(0, rate))
    }

    /// `0.4 ms`, `12 ms`, `1.2 s`
    static func roundTrip(_ time: Duration) -> String {
        let milliseconds = max(0, time / .milliseconds(1))
        if milliseconds >= 1_000 { return Figures.tenths(milliseconds / 1_000) + " s" }
        return milliseconds < 10 ? Figures.tenths(milliseconds) + " ms" : "\(Int(milliseconds.rounded())) ms"
    }
}
