import Glibc

/// A file that a command will write, and what to do if it exists.
struct OutputRequest: Sendable {
    /// What to do if the file exists.
    enum Policy: Sendable {
        case refuse
        case overwrite
        case append
    }

    /// The flag that names the file, such as `--outcomes`.
    let flag: String
    let path: String
    let policy: Policy
    /// The beginning of every file that this command writes; it appends only to such a file.
    let beginning: String
    /// Files that must not be written, whatever the policy.
    let inputs: NamedFiles

    init(flag: String, path: String, policy: Policy, beginning: String, inputs: NamedFiles) {
        self.flag = flag
        self.path = path
        self.policy = policy
        self.beginning = beginning
        self.inputs = inputs
    }

    /// Makes the checks that need no open file, so that errors are reported before the command begins.
    func check() throws(CommandError) {
        guard let file = FileIdentity(at: path) else { return }
        try check(file)
        if policy == .refuse { throw existing }
    }

    /// Opens the file, empty or at its end. A regular file is readable only by its owner, and no other run can open it
    /// at the same time.
    ///
    /// - Throws: Status 64 if the file must not be written, 78 if it can't be.
    func open() throws(CommandError) -> OutputFile {
        let (descriptor, isNew) = try openDescriptor()
        do throws(CommandError) {
            // A pipe or a device has no content that could be lost.
            guard let file = FileIdentity(of: descriptor) else { return OutputFile(owning: descriptor, name: path) }
            try check(file)
            guard isNew || policy != .refuse else { throw existing }
            try lock(descriptor)
            let isContinued = policy == .append ? try continues(descriptor) : false
            if policy == .overwrite { try empty(descriptor) }
            return OutputFile(owning: descriptor, name: path, isContinued: isContinued)
        } catch {
            _ = close(descriptor)
            throw error
        }
    }

    // MARK: Refusals

    private var existing: CommandError {
        .usage("\(flag): \(path) exists; add --append or --overwrite, or name a new file.")
    }

    private func check(_ file: FileIdentity) throws(CommandError) {
        if let name = inputs.name(of: file) { throw .usage("\(flag) names \(name); give another file.") }
        for (name, descriptor) in [("standard output", STDOUT_FILENO), ("standard error", STDERR_FILENO)]
        where FileIdentity(of: descriptor) == file {
            throw .usage("\(flag) names the file that \(name) goes to; give another file, or - for standard output.")
        }
    }

    private func cannotWrite(_ code: Int32) -> CommandError {
        let remedy = SystemError.remedy(code) ?? "name a file in a folder that exists and is yours"
        return .configuration("cannot write \(path): \(SystemError.text(code)); \(remedy)")
    }

    // MARK: Steps

    private func openDescriptor() throws(CommandError) -> (Int32, isNew: Bool) {
        // The file must be created here: another run may create it at the same moment.
        let descriptor = systemOpen(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | append)
        if descriptor >= 0 { return (descriptor, true) }
        guard errno == EEXIST else { throw cannotWrite(errno) }
        if policy == .refuse, FileIdentity(at: path) != nil { throw existing }
        // O_CREAT is for a symbolic link to a file that does not exist yet, which is allowed.
        let creating = policy == .refuse ? 0 : O_CREAT
        let access = policy == .append && FileIdentity(at: path) != nil ? O_RDWR : O_WRONLY
        let other = systemOpen(path, access | creating | O_CLOEXEC | append)
        guard other >= 0 else { throw errno == ENOENT ? existing : cannotWrite(errno) }
        return (other, false)
    }

    private var append: Int32 { policy == .append ? O_APPEND : 0 }

    private func lock(_ descriptor: Int32) throws(CommandError) {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK:
                throw .usage("\(flag): another run is writing \(path); wait for its end, or name another file.")
            // The file system has no locks. Other runs are still safe, because a new file is created.
            default: return
            }
        }
    }

    private func empty(_ descriptor: Int32) throws(CommandError) {
        guard ftruncate(descriptor, 0) == 0 else { throw cannotWrite(errno) }
        // The file belongs to this run now; one of an earlier version could be read by all users.
        _ = fchmod(descriptor, 0o600)
    }

    /// Whether the file has lines already. If a crash cut off the last one, it gets its end, so that the next line is
    /// separate.
    private func continues(_ descriptor: Int32) throws(CommandError) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw cannotWrite(errno) }
        if status.st_size == 0 { return false }
        var first = [UInt8](repeating: 0, count: beginning.utf8.count)
        var last: UInt8 = 0
        let count = pread(descriptor, &first, first.count, 0)
        guard count >= 0, pread(descriptor, &last, 1, status.st_size - 1) == 1 else { throw cannotWrite(errno) }
        guard first[..<count].elementsEqual(beginning.utf8) else {
            throw .usage(
                "\(flag): \(path) does not begin like a file of \(flag), so nothing was appended; name another file.")
        }
        if last != ASCII.lineFeed { try OutputFile(borrowing: descriptor, name: path).write([ASCII.lineFeed]) }
        return true
    }
}

// In this type, its own `open` hides the system's.
private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags, 0o600) }
