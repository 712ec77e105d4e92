import Glibc
import PushLocking

/// Looks ten times a second how many threads this process has, until it is asked.
final class ThreadWatch: Sendable {
    private struct State {
        var most = 0
        var isOver = false
    }

    private let state = Locked(State())

    /// - Parameters:
    ///   - pause: how long before the first look.
    ///   - begin: called then on the watch's own thread, which is not counted.
    init(after pause: Duration = .zero, _ begin: @escaping @Sendable () -> Void = {}) {
        DetachedThread.start { [state] in
            usleep(UInt32(pause / .microseconds(1)))
            begin()
            while true {
                let threads = Self.threads()
                let isOver = state.withLock { state in
                    state.most = max(state.most, threads)
                    return state.isOver
                }
                if isOver { return }
                usleep(100_000)
            }
        }
    }

    /// The most that were seen, without its own; ends the watch.
    func end() -> Int {
        state.withLock { state in
            state.isOver = true
            return max(0, state.most - 1)
        }
    }

    /// What this costs is part of what is measured.
    private static func threads() -> Int {
        guard let folder = opendir("/proc/self/task") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while let entry = readdir(folder) {
            // "." and ".." begin with a point.
            if entry.pointee.d_name.0 != 0x2E { count += 1 }
        }
        return count
    }
}
