import Dispatch
import Glibc

/// The processor time this process has used, and the time that passed, between two moments.
struct Usage {
    private let user: Double
    private let system: Double
    private let wall: UInt64

    /// Now.
    init() {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        user = Self.microseconds(usage.ru_utime)
        system = Self.microseconds(usage.ru_stime)
        wall = DispatchTime.now().uptimeNanoseconds
    }

    /// Nothing was used.
    static let none = Usage(user: 0, system: 0, wall: 0)

    private init(user: Double, system: Double, wall: UInt64) {
        self.user = user
        self.system = system
        self.wall = wall
    }

    /// What was used since this moment.
    var sinceThen: Usage {
        let now = Usage()
        return Usage(user: now.user - user, system: now.system - system, wall: now.wall - wall)
    }

    static func + (one: Usage, other: Usage) -> Usage {
        Usage(user: one.user + other.user, system: one.system + other.system, wall: one.wall + other.wall)
    }

    /// What `pushes` pushes cost since this moment.
    func values(of pushes: Int) -> [String: Double] { sinceThen.perPush(of: pushes) }

    /// What each of `pushes` pushes cost that used this together.
    func perPush(of pushes: Int) -> [String: Double] {
        let count = Double(max(1, pushes))
        let seconds = Double(wall) / 1e9
        return [
            "cpu_us": (user + system) / count,
            "system_us": system / count,
            "pushes_per_s": count / max(seconds, 1e-9),
            "seconds": seconds,
        ]
    }

    static func microseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1e6 + Double(time.tv_usec) }
}
