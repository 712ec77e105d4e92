import FoundationEssentials
import Glibc
import PushLocking
import SupervisedPush

/// `pushctl send --simulator`: a push to an app in Xcode's Simulator, through an `.apns` file and `xcrun simctl push`.
struct SimulatorPush {
    /// The member that names the app in an `.apns` file.
    private static let key = "Simulator Target Bundle"

    private let device: String
    private let bundle: String
    private let file: [UInt8]

    /// - Throws: 64 for a payload that names an app itself, 1 for one that the device would refuse.
    init(_ notification: PushNotification, device: String, bundle: String) throws(CommandError) {
        self.device = device
        self.bundle = bundle
        // There is neither topic nor credential, so their rules do not apply.
        do { try notification.validate(requiresTopic: false) } catch {
            throw CommandError(.rejectedOrFailed, "The push would be refused: \(error)")
        }
        guard case .object(let members)? = JSONValue(parsing: notification.payload.bytes) else {
            throw .usage("The payload contains a number or a nesting that cannot be read here.")
        }
        guard members[Self.key] == nil else {
            throw .usage("The payload names \"\(Self.key)\" itself; leave that to --bundle.")
        }
        // The payload's own bytes, with one more member before the last brace.
        var bytes = notification.payload.bytes
        guard let end = bytes.lastIndex(of: ASCII.closeBrace) else { throw .usage("The payload is not a JSON object.") }
        let comma = members.isEmpty ? "" : ","
        bytes.replaceSubrange(end..., with: Array("\(comma)\"\(Self.key)\":\"\(bundle)\"}\n".utf8))
        file = bytes
    }

    /// Writes the file, pushes it, and removes it. If that fails, the file stays.
    func run(isJSON: Bool) throws(CommandError) {
        let path = try write()
        do { try push(path) } catch {
            throw CommandError(error.status, "\(error.message) The push stays in \(path).")
        }
        unlink(path)
        try report("delivered", isJSON)
    }

    /// Prints what would be pushed.
    func dryRun(isJSON: Bool) throws(CommandError) {
        if isJSON { return try report(nil, isJSON) }
        try OutputFile.standardOutput.write(
            Array("command   xcrun simctl push \(device) \(bundle) FILE\nbytes     \(file.count)\n\n".utf8) + file)
    }

    private func report(_ outcome: String?, _ isJSON: Bool) throws(CommandError) {
        var object = JSONLine()
        object.add("simulator", device)
        object.add("bundle", bundle)
        object.add("bytes", file.count)
        object.add("outcome", outcome)
        let text = "outcome   \(outcome ?? "")\nsimulator \(device.onOneLine)\nbundle    \(bundle)\n"
        try OutputFile.standardOutput.write(isJSON ? object.line : Array(text.utf8))
    }

    private func write() throws(CommandError) -> String {
        let folder = getenv("TMPDIR").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        let suffix = ".apns"
        var template = Array("\(folder)/pushctl-XXXXXX\(suffix)".utf8CString)
        // Readable only by this user, because a payload is private.
        let descriptor = mkstemps(&template, Int32(suffix.utf8.count))
        guard descriptor >= 0 else {
            throw .configuration(
                "cannot write a file in \(folder): \(SystemError.text(errno)); set TMPDIR to a writable folder"
            )
        }
        defer { close(descriptor) }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try OutputFile(borrowing: descriptor, name: path).write(file)
        return path
    }

    private func push(_ path: String) throws(CommandError) {
        let words = ["xcrun", "simctl", "push", device, bundle, path]
        // A parent may have set it to be ignored, and then the end of a child is not reported.
        signal(SIGCHLD, SIG_DFL)
        let child = Locked<pid_t>(0)
        let pass: @Sendable (Int32) -> Void = { number in
            let id = child.withLock { $0 }
            if id > 0 { kill(id, number) }
        }
        let signals = SignalWatcher.forCommand(onFirst: { pass($0.number) }, onInsisting: { pass(SIGKILL) })
        var id: pid_t = 0
        let code = Self.spawn(words, &id)
        guard code == 0 else {
            let why = code == ENOENT ? "it is not on the PATH" : SystemError.text(code)
            throw CommandError(
                .unavailable,
                "xcrun cannot be run: \(why). Xcode's Simulator runs on a Mac with Xcode's command line tools.")
        }
        child.withLock { $0 = id }
        if let signal = signals.first { pass(signal.number) }
        var status: Int32 = 0
        while waitpid(id, &status, 0) != id {
            guard errno == EINTR else {
                throw CommandError(.rejectedOrFailed, "How xcrun ended is not known: \(SystemError.text(errno)).")
            }
        }
        child.withLock { $0 = 0 }
        if let signal = signals.first, status != 0 { throw CommandError(signal.status, "Stopped by \(signal.name).") }
        guard status != 0 else { return }
        let end = status & 0x7F == 0 ? "ended with \(status >> 8 & 0xFF)" : "was ended by signal \(status & 0x7F)"
        throw CommandError(
            .rejectedOrFailed, "xcrun simctl push \(end): is the device booted, and the app installed there?")
    }

    /// Runs a program on the PATH; its output goes to standard error.
    private static func spawn(_ words: [String], _ id: inout pid_t) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // This thread blocks the signals that the program handles in another way, and a child would inherit that.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGINT, SIGTERM] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let variables = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
        let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        let environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
        defer { for word in arguments + environment { free(word) } }
        return posix_spawnp(&id, words[0], &actions, &attributes, arguments, environment)
    }
}
