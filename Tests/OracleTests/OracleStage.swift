import ProcessRuntime
import PushLocking
import PushSimulator
import SupervisedPush
import TestSupport

/// What a random life happens to: a runtime with two names, a pool and a connection without a name, in memory, on a manual
/// clock, against a simulator with a ledger.
final class OracleStage: Sendable {
    /// How a life's connections are configured.
    struct Traits: Sendable {
        var flushDelay: Duration?
        var maxInFlight: Int
        /// The most pushes of a link before its first answer.
        var firstFlight: Int
        /// How long a link may take no more bytes, and answer nothing; nil: without end.
        var stall: Duration?
        var maxWaiting: Int
        var whenFull: WhenFull
        var showsCertificate: Bool
        var budget: Int
    }

    /// A connection or a pool, as a caller names it.
    enum Place: Hashable {
        case name(String)
        case pid(ProcessID)
    }

    static let single = "orders"
    /// Keeps the order of each device.
    static let ordered = "ordered"
    static let pool = "bulk"

    let rehearsal: Rehearsal
    let faults = ProcessFaults()
    let time: ManualTime
    let mailbox = Mailbox<LifecycleMessage>(limit: 1_000_000)
    let traits: Traits
    private let anonymous = Locked<ProcessID?>(nil)

    var runtime: PushRuntime { rehearsal.runtime }
    var apple: SimulatedAPNs { rehearsal.apple }

    init(_ traits: Traits) throws {
        self.traits = traits
        rehearsal = try Rehearsal.inMemory(
            runtime: PushRuntime.Configuration(maxWaitingBytes: traits.budget), faults: faults)
        guard let time = rehearsal.time else { throw NoManualClock() }
        self.time = time
    }

    private struct NoManualClock: Error {}

    var config: PushConnection.Configuration {
        get throws {
            // A life kills many processes, and none is to be given up.
            let intensity = try RestartIntensity(
                limit: 1_000, period: .seconds(3_600), delays: [.zero, .milliseconds(20)])
            let base = traits.showsCertificate ? rehearsal.certificateConfig : rehearsal.config
            return base.with {
                $0.limits.flushDelay = traits.flushDelay
                $0.limits.maxInFlight = traits.maxInFlight
                $0.limits.firstFlight = traits.firstFlight
                if let stall = traits.stall {
                    $0.liveness = PushConnection.Configuration.Liveness(unanswered: stall / 2, stall: stall)
                }
                $0.limits.maxWaiting = traits.maxWaiting
                $0.limits.whenFull = traits.whenFull
                $0.timeout = .seconds(4)
                $0.lateWindow = .seconds(2)
                $0.retry.backoffCeiling = .seconds(1)
                $0.retry.restartIntensity = intensity
            }
        }
    }

    /// Starts what is not there: at first everything, later what was closed or has ended.
    func begin(poolSize: ClosedRange<Int>) throws {
        if runtime.pid(of: Self.single) == nil {
            try attempt { try runtime.connect(name: Self.single, config: config, owner: mailbox) }
        }
        if runtime.pid(of: Self.ordered) == nil {
            try attempt {
                try runtime.connect(
                    name: Self.ordered, config: config.with { $0.ordered = .perDevice }, owner: mailbox)
            }
        }
        if runtime.pid(of: Self.pool) == nil {
            try attempt { try runtime.connect(name: Self.pool, size: poolSize, config: config, owner: mailbox) }
        }
        let pid = anonymous.withLock { $0 }
        if pid.map({ (try? runtime.connection($0).load) == nil }) ?? true {
            let pid = try runtime.connect(config: config, owner: mailbox).pid
            anonymous.withLock { $0 = pid }
        }
    }

    /// A name whose connection is just ending is taken for a moment longer.
    private func attempt(_ body: () throws -> PushConnection) throws {
        do { _ = try body() } catch let error as ConnectError where error.code == .nameTaken {}
    }

    /// Everything that a caller could push to, pids of the pool's connections included.
    var places: [Place] {
        let members = ((try? runtime.connection(named: Self.pool).members) ?? []).map(\.pid)
        return [.name(Self.single), .name(Self.pool), .name(Self.pool)]
            + (members + [anonymous.withLock { $0 }]).compactMap { $0.map { .pid($0) } }
    }

    /// The processes of all connections, and of the pool.
    var processes: [ProcessID] {
        let names = [Self.single, Self.ordered, Self.pool].compactMap { runtime.pid(of: $0) }
        let members = ((try? runtime.connection(named: Self.pool).members) ?? []).compactMap(\.pid)
        return names + members + [anonymous.withLock { $0 }].compactMap(\.self)
    }
}
