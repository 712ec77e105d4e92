import Glibc
import PushTerminal

/// The file of a journal: readable only by its owner, and locked while a run uses it.
///
/// The lock is `flock`'s, which does not meet SQLite's own locks. But closing this descriptor releases those, as POSIX has
/// it, so it is closed after the database.
package final class JournalFile {
    /// `APNJ`, at the place where SQLite keeps the id of an application.
    static let applicationID: Int32 = 0x4150_4E4A

    private let descriptor: Int32

    /// Opens the file, or makes it, and locks it.
    ///
    /// - Parameter inputs: Files that are not written.
    /// - Throws: Status 64 if it is another run's or no journal, 78 if it can't be opened.
    package init(_ path: String, inputs: NamedFiles) throws(CommandError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o600)
        guard descriptor >= 0 else { throw Self.cannotOpen(path, errno) }
        guard let file = FileIdentity(of: descriptor) else {
            throw .usage("the journal \(path) is not a regular file; name another one.")
        }
        if let name = inputs.name(of: file) { throw .usage("the journal is \(name); give another file.") }
        guard Self.lock(descriptor, LOCK_EX) else {
            throw .usage("another run is using the journal \(path); wait for its end.")
        }
        guard try Self.mayBeJournal(descriptor) else { throw Self.noJournal(path) }
    }

    deinit { if descriptor >= 0 { _ = close(descriptor) } }

    /// Checks a journal that is only read. Returns whether a run is using it.
    package static func inspect(_ path: String) throws(CommandError) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { throw .input("cannot read \(path): \(SystemError.text(errno))") }
        defer { _ = close(descriptor) }
        guard FileIdentity(of: descriptor) != nil, try mayBeJournal(descriptor) else { throw noJournal(path) }
        return !lock(descriptor, LOCK_SH)
    }

    private static func noJournal(_ path: String) -> CommandError {
        .usage("\(path) is not a journal of pushctl; name another file.")
    }

    private static func cannotOpen(_ path: String, _ code: Int32) -> CommandError {
        let remedy = SystemError.remedy(code) ?? "name a file in a folder that exists and is yours"
        return .configuration("cannot open the journal \(path): \(SystemError.text(code)); \(remedy)")
    }

    /// False if another process has the lock. A file system without locks has none to refuse.
    private static func lock(_ descriptor: Int32, _ kind: Int32) -> Bool {
        while flock(descriptor, kind | LOCK_NB) != 0 {
            if errno != EINTR { return errno != EWOULDBLOCK }
        }
        return true
    }

    /// Whether the file is empty, or an SQLite database with our id. Looked at before SQLite may change it.
    private static func mayBeJournal(_ descriptor: Int32) throws(CommandError) -> Bool {
        var header = [UInt8](repeating: 0, count: 72)
        let count = pread(descriptor, &header, header.count, 0)
        guard count >= 0 else { throw .input("cannot read the journal: \(SystemError.text(errno))") }
        if count == 0 { return true }
        let id = header[68...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return count == header.count && header.starts(with: Array("SQLite format 3\0".utf8))
            && id == UInt32(bitPattern: applicationID)
    }
}
