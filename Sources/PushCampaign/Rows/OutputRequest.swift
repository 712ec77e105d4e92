import Glibc
import PushTerminal

/// A file that a command will write, and what to do if it exists.
package struct OutputRequest: Sendable {
    /// What to do if the file exists.
    package enum Policy: Sendable, Equatable {
        case refuse
        case overwrite
        case append
        /// Continue behind this many bytes, which a journal knows, and keep what follows them. With none, the file is
        /// new, or has no more than its beginning.
        case resume(behind: UInt64)
    }

    /// What errors call the file, such as `--outcomes`.
    package let flag: String
    package let path: String
    package let policy: Policy
    /// The beginning of every file that this command writes; it appends only to such a file.
    package let beginning: String
    /// Files that must not be written, whatever the policy.
    package let inputs: NamedFiles
    /// What to do if the file exists and must not be written, as the end of a sentence.
    package let ifExists: String

    package init(
        flag: String, path: String, policy: Policy, beginning: String, inputs: NamedFiles,
        ifExists: String = "name a new file"
    ) {
        self.flag = flag
        self.path = path
        self.policy = policy
        self.beginning = beginning
        self.inputs = inputs
        self.ifExists = ifExists
    }

    /// The same file, continued behind this many bytes.
    func resuming(behind size: UInt64) -> OutputRequest {
        OutputRequest(
            flag: flag, path: path, policy: .resume(behind: size), beginning: beginning, inputs: inputs,
            ifExists: ifExists)
    }

    /// Makes the checks that need no open file, so that errors are reported before the command begins.
    package func check() throws(CommandError) {
        guard let file = FileIdentity(at: path) else { return }
        try check(file)
        if policy == .refuse { throw existing }
    }

    /// Opens the file, empty or at its end. A regular file is readable only by its owner, and no other run can open it
    /// at the same time.
    ///
    /// - Throws: Status 64 if the file must not be written, 78 if it can't be.
    package func open() throws(CommandError) -> OutputFile {
        let (descriptor, isNew) = try openDescriptor()
        do throws(CommandError) {
            // A pipe or a device has no content that could be lost.
            guard let file = FileIdentity(of: descriptor) else {
                if case .resume = policy { throw .usage("\(flag): \(path) is not a regular file; name another one.") }
                return OutputFile(owning: descriptor, name: path)
            }
            try check(file)
            guard isNew || policy != .refuse else { throw existing }
            try lock(descriptor)
            return OutputFile(owning: descriptor, name: path, isContinued: try prepare(descriptor))
        } catch {
            _ = close(descriptor)
            throw error
        }
    }

    // MARK: Refusals

    private var existing: CommandError {
        .usage("\(flag): \(path) exists; \(ifExists).")
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
        if case .resume(let size) = policy, size > 0 { return (try openExisting(), false) }
        // The file must be created here: another run may create it at the same moment.
        let access = appends ? O_RDWR | O_APPEND : O_WRONLY
        let descriptor = systemOpen(path, access | O_CREAT | O_EXCL | O_CLOEXEC)
        if descriptor >= 0 { return (descriptor, true) }
        guard errno == EEXIST else { throw cannotWrite(errno) }
        if policy == .refuse, FileIdentity(at: path) != nil { throw existing }
        // O_CREAT is for a symbolic link to a file that does not exist yet, which is allowed.
        let creating = policy == .refuse ? 0 : O_CREAT
        // A pipe is not opened for reading, too.
        let isFile = FileIdentity(at: path) != nil
        let other = systemOpen(path, (isFile ? access : O_WRONLY) | creating | O_CLOEXEC)
        guard other >= 0 else { throw errno == ENOENT ? existing : cannotWrite(errno) }
        return (other, false)
    }

    /// Opens the file that a journal belongs to.
    private func openExisting() throws(CommandError) -> Int32 {
        let descriptor = systemOpen(path, O_RDWR | O_APPEND | O_CLOEXEC)
        if descriptor >= 0 { return descriptor }
        guard errno == ENOENT else { throw cannotWrite(errno) }
        throw .input("\(flag): \(path) is gone, and the journal needs its rows; restore it, or begin a new journal")
    }

    private var appends: Bool { policy != .refuse && policy != .overwrite }

    /// Makes the content ready. Returns whether lines stay in it.
    private func prepare(_ descriptor: Int32) throws(CommandError) -> Bool {
        switch policy {
        case .refuse: return false
        case .overwrite:
            try empty(descriptor)
            return false
        case .append: return try continues(descriptor)
        case .resume(let size):
            if size > 0 { return try resumes(descriptor, size) }
            guard try content(descriptor, beginning.utf8.count + 1, isPrefixOf: beginning) else {
                throw .usage("\(flag): \(path) exists, and the journal is new; name a new file.")
            }
            try empty(descriptor)
            return false
        }
    }

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
        guard let size = FileStatus(of: descriptor)?.size else { throw cannotWrite(errno) }
        if size == 0 { return false }
        guard try bytes(descriptor, at: 0, beginning.utf8.count).elementsEqual(beginning.utf8) else {
            throw .usage(
                "\(flag): \(path) does not begin like a file of \(flag), so nothing was appended; name another file.")
        }
        let last = try bytes(descriptor, at: off_t(clamping: size) - 1, 1)
        if last != [ASCII.lineFeed] { try OutputFile(borrowing: descriptor, name: path).write([ASCII.lineFeed]) }
        return true
    }

    /// Whether it is the file of which the journal knows this many bytes.
    private func resumes(_ descriptor: Int32, _ size: UInt64) throws(CommandError) -> Bool {
        guard try bytes(descriptor, at: 0, beginning.utf8.count).elementsEqual(beginning.utf8),
            try bytes(descriptor, at: off_t(clamping: size) - 1, 1) == [ASCII.lineFeed]
        else {
            throw .input(
                "\(flag): \(path) is not as the journal has left it: no row ends at byte \(size); restore the file, "
                    + "or begin a new journal that skips what is done")
        }
        return true
    }

    /// Whether the first bytes, this many at most, are a beginning of the text.
    private func content(_ descriptor: Int32, _ most: Int, isPrefixOf text: String) throws(CommandError) -> Bool {
        text.utf8.starts(with: try bytes(descriptor, at: 0, most))
    }

    private func bytes(_ descriptor: Int32, at position: off_t, _ most: Int) throws(CommandError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: most)
        let count = pread(descriptor, &bytes, most, position)
        guard count >= 0 else { throw cannotWrite(errno) }
        return Array(bytes[..<count])
    }
}

// In this type, its own `open` hides the system's.
private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags, 0o600) }
