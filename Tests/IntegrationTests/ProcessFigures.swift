import Foundation

/// What descriptors this process holds, such as `6 socket:[4711]`, without Dispatch's timers: it makes one for each clock, when the first
/// pause needs it, and keeps it.
func ownDescriptors() -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.sorted().compactMap { name in
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
        return target == "anon_inode:[timerfd]" ? nil : "\(name) \(target ?? "closed")"
    }
}

/// How many threads this process has.
func ownThreads() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
}
