import Glibc
import PushCampaign
import PushTerminal

/// A file that gets its whole content at once, so that a reader never sees half of it.
enum ReplacedFile {
    /// A new file beside the one that it replaces later.
    private struct Draft {
        let path: String
        let descriptor: Int32

        init(of target: String) throws(CommandError) {
            var template = Array("\(target).XXXXXX".utf8CString)
            descriptor = mkstemp(&template)
            guard descriptor >= 0 else {
                throw .configuration(
                    "cannot write \(target): \(SystemError.text(errno)); name a file in a folder that exists and is yours"
                )
            }
            path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    /// Finds out whether a file of this name can be written, and changes none.
    static func check(_ path: String) throws(CommandError) {
        guard !FileIdentity.isFolder(path) else {
            throw .configuration("cannot write \(path): it is a folder; name a file")
        }
        let draft = try Draft(of: path)
        close(draft.descriptor)
        unlink(draft.path)
    }

    /// Writes a new file, and gives it the name.
    ///
    /// - Parameters:
    ///   - isForAll: Whether all may read it; otherwise only its owner.
    ///   - isDurable: Whether it survives a loss of power.
    /// - Returns: The identity of the file.
    @discardableResult
    static func write(
        _ bytes: [UInt8], to path: String, isForAll: Bool = false, isDurable: Bool = false
    ) throws(CommandError) -> FileIdentity? {
        let draft = try Draft(of: path)
        let identity = FileIdentity(of: draft.descriptor)
        if isForAll { fchmod(draft.descriptor, 0o644) }
        let file = OutputFile(owning: draft.descriptor, name: path)
        do throws(CommandError) {
            try file.write(bytes)
            if isDurable { try file.sync() }
            guard rename(draft.path, path) == 0 else {
                throw .configuration("cannot write \(path): \(SystemError.text(errno))")
            }
            if isDurable { try SyncedFolder.sync(of: AbsolutePath.of(path)) }
            return identity
        } catch {
            unlink(draft.path)
            throw error
        }
    }
}
