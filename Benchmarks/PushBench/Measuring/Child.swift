import Dispatch
import FoundationEssentials
import Glibc

/// Another program, run and watched.
struct Child {
    /// How it ended and what it used.
    struct End {
        let status: Int32
        let cpuMicroseconds: Double
        let systemMicroseconds: Double
        let seconds: Double
        /// The most resident memory that was seen.
        let peakKiB: Int
        let threads: Int
        /// How much more was resident later than in the first tenth of the time.
        let growthKiB: Int
    }

    let name: String
    let process: pid_t
    private let start = DispatchTime.now().uptimeNanoseconds

    /// Starts it; what it prints goes to a file. A `--` before the command, which ends the flags before it, is left out.
    init(_ arguments: [String], output: String) throws {
        let command = arguments.first == "--" ? Array(arguments.dropFirst()) : arguments
        guard let name = command.first else { throw BenchError("no command was given") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // Dispatch's threads block signals, and a child would inherit that.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        var process = pid_t()
        guard posix_spawnp(&process, name, &actions, &attributes, words, environ) == 0 else {
            throw BenchError("\(name) cannot be started")
        }
        self.name = name
        self.process = process
    }

    /// Waits for its end, looking 50 times a second at what it holds.
    func wait() throws -> End {
        var (status, usage) = (Int32(0), rusage())
        var (peak, threads) = (0, 0)
        var residents: [Int] = []
        while true {
            let ended = wait4(process, &status, WNOHANG, &usage)
            if ended == process { break }
            guard ended == 0 else { throw BenchError("lost sight of process \(process)") }
            let now = ProcessStatus("\(process)")
            peak = max(peak, now.peakKiB ?? 0)
            threads = max(threads, now.threads ?? 0)
            if let resident = now.residentKiB { residents.append(resident) }
            usleep(20_000)
        }
        let system = Usage.microseconds(usage.ru_stime)
        return End(
            status: status, cpuMicroseconds: Usage.microseconds(usage.ru_utime) + system, systemMicroseconds: system,
            seconds: Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9, peakKiB: peak, threads: threads,
            growthKiB: max(0, peak - (residents.prefix(max(1, residents.count / 10)).max() ?? peak)))
    }

    /// How many sockets it has open now.
    var sockets: Int {
        let folder = "/proc/\(process)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + name)
            return target?.hasPrefix("socket:") ?? false
        }
    }

    func kill() {
        Glibc.kill(process, SIGTERM)
        waitpid(process, nil, 0)
    }
}
