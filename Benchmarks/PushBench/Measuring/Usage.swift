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

    /// What `pushes` pushes cost since this moment.
    func values(of pushes: Int) -> [String: Double] {
        let now = Usage()
        let count = Double(max(1, pushes))
        let seconds = Double(now.wall - wall) / 1e9
        return [
            "cpu_us": (now.user - user + now.system - system) / count,
            "system_us": (now.system - system) / count,
            "pushes_per_s": count / max(seconds, 1e-9),
            "seconds": seconds,
        ]
    }

    static func microseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1e6 + Double(time.tv_usec) }
}
