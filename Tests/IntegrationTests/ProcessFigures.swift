import Dispatch
import Foundation

/// How many descriptors this process holds.
func ownDescriptors() -> Int { entries(of: "/proc/self/fd") }

/// How many threads this process has.
func ownThreads() -> Int { entries(of: "/proc/self/task") }

private func entries(of directory: String) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: directory).count) ?? 0
}

/// Asks again until the condition holds, for ten seconds at most: for what no event announces.
func reaches(_ condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < end {
        if condition() { return true }
        await Task.yield()
    }
    return condition()
}
