import Glibc
import PushTerminal

/// The folder of a new file. The file's name is on the disk once the folder is.
enum SyncedFolder {
    /// - Parameter path: The absolute path of the file.
    static func sync(of path: String) throws(CommandError) {
        let folder = path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
        let descriptor = open(folder + "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if descriptor >= 0 { _ = close(descriptor) } }
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            throw .configuration("cannot write \(folder)/ to the disk: \(SystemError.text(errno))")
        }
    }
}
