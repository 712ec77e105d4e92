import Glibc
import PushCampaign
import PushTerminal

/// A file that gets its whole content at once, so that a reader never sees half of it.
enum ReplacedFile {
    /// Writes a new file, and gives it the name.
    ///
    /// - Parameter isForAll: Whether all may read it; otherwise only its owner.
    /// - Returns: The identity of the file.
    @discardableResult
    static func write(
        _ bytes: [UInt8], to path: String, isForAll: Bool = false
    ) throws(CommandError) -> FileIdentity? {
        var template = Array("\(path).XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else {
            throw .configuration(
                "cannot write \(path): \(SystemError.text(errno)); name a file in a folder that exists and is yours")
        }
        let draft = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let identity = FileIdentity(of: descriptor)
        if isForAll { fchmod(descriptor, 0o644) }
        let file = OutputFile(owning: descriptor, name: path)
        do throws(CommandError) {
            try file.write(bytes)
            guard rename(draft, path) == 0 else {
                throw .configuration("cannot write \(path): \(SystemError.text(errno))")
            }
            return identity
        } catch {
            unlink(draft)
            throw error
        }
    }
}
