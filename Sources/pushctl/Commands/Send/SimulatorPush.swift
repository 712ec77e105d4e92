import Glibc
import PushLocking
import PushTerminal
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
        try report("delivered", isJSON: isJSON)
    }

    /// Prints what would be pushed.
    func dryRun(isJSON: Bool) throws(CommandError) {
        if isJSON { return try report(nil, isJSON: isJSON) }
        try OutputFile.standardOutput.write(
            Array("command   xcrun simctl push \(device) \(bundle) FILE\nbytes     \(file.count)\n\n".utf8) + file)
    }

    private func report(_ outcome: String?, isJSON: Bool) throws(CommandError) {
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
        let running = Locked<ChildProcess?>(nil)
        let pass: @Sendable (Int32) -> Void = { number in running.withLock { $0 }?.send(number) }
        let signals = SignalWatcher.forCommand(onFirst: { pass($0.number) }, onInsisting: { pass(SIGKILL) })
        let child: ChildProcess
        do {
            child = try ChildProcess(["xcrun", "simctl", "push", device, bundle, path], outputIsError: true)
        } catch {
            throw CommandError(
                .unavailable,
                "xcrun cannot be run: \(error.reason). Xcode's Simulator runs on a Mac with Xcode's command line tools."
            )
        }
        running.withLock { $0 = child }
        if let signal = signals.first { pass(signal.number) }
        guard let end = child.waitForEnd() else {
            throw CommandError(.rejectedOrFailed, "How xcrun ended is not known.")
        }
        guard end.code != 0 else { return }
        if let signal = signals.first { throw CommandError(signal.status, "Stopped by \(signal.name).") }
        throw CommandError(
            .rejectedOrFailed, "xcrun simctl push \(end): is the device booted, and the app installed there?")
    }
}
