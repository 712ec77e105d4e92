import FoundationEssentials
import Glibc
import PushQueue
import PushSQLite

/// What a caller learns of an error of the file.
enum QueueFailure {
    static var isNoFile: QueueError {
        QueueError(.refused, "A queue in SQLite is kept in a file. Name one in a folder that exists.")
    }

    static func isNoRegularFile(_ path: String, isFolder: Bool) -> QueueError {
        QueueError(
            .refused,
            isFolder
                ? "\(path) is a folder. Name a file in it for the queue."
                : "\(path) is not a regular file. Name another file for the queue.")
    }

    static func isEmpty(_ path: String) -> QueueError {
        QueueError(.refused, "The file \(path) is empty: no queue was made in it yet.")
    }

    static func hasNoQueue(_ path: String, named name: String, among names: [String]) -> QueueError {
        let others = names.isEmpty ? "none" : names.map { "'\($0)'" }.joined(separator: ", ")
        return QueueError(.refused, "The file \(path) has no queue named '\(name)'. It has: \(others).")
    }

    static func isForeign(_ path: String) -> QueueError {
        QueueError(.refused, "\(path) is another program's database. Name another file for the queue.")
    }

    static func isLater(_ path: String, version: Int64) -> QueueError {
        QueueError(
            .refused,
            "A later version of this package made the queue \(path) (format \(version); this one knows formats up to "
                + "\(QueueSchema.version)). Update this program.")
    }

    static func isGone(_ path: String) -> QueueError {
        QueueError(
            .lost,
            "The queue file \(path) was removed or replaced while it was in use. If creation is allowed, the next call "
                + "creates an empty queue. Stop the workers before you replace the file.")
    }

    static func cannotOpen(_ path: String, code: Int32) -> QueueError {
        let why = String(cString: strerror(code)).lowercased()
        return switch code {
        case ENOENT where FileAccess.hasFolder(path):
            QueueError(.refused, "There is no queue file \(path). Check the path, or let the program make it.")
        case EACCES, EPERM, EROFS: cannotBeWritten(path, because: why)
        case ENOSPC, EDQUOT: isFull(path)
        default:
            QueueError(.failed, "The queue \(path) cannot be opened: \(why). Name a file in a folder that exists.")
        }
    }

    /// - Parameter why: What the system says.
    static func cannotBeWritten(_ path: String, because why: String = "permission denied") -> QueueError {
        guard let (file, right) = FileAccess.obstacle(path) else {
            return QueueError(
                .refused, "The queue \(path) cannot be opened: \(why). Give this user the right to write its folder.")
        }
        return QueueError(
            .refused,
            "The queue \(path) cannot be used: this user may not \(right) \(file). Give the user this right, or run as "
                + "the file's owner.")
    }

    static func isFull(_ path: String) -> QueueError {
        QueueError(
            .full,
            "The disk of the queue \(path) is full; nothing was changed. Free space on it, or read outcomes: those "
                + "that were read make room for others.")
    }

    /// The error that a call throws because of this one.
    static func translate(_ error: any Error, at path: String, configuration: SQLiteQueue.Configuration) -> QueueError {
        if let error = error as? QueueError { return error }
        guard let error = error as? SQLiteError else {
            return QueueError(.failed, "The queue \(path) failed: \(error).")
        }
        // The low byte of an extended code is the basic one; the numbers are part of SQLite's file of constants.
        switch error.code & 0xFF {
        case 5, 6:
            let seconds = max(0, (configuration.busyTimeout / .milliseconds(1)).rounded() / 1_000)
            return QueueError(
                .unreachable,
                "Another process has kept the queue \(path) locked for \(seconds) s. Find it with: fuser \(path)")
        case 13: return isFull(path)
        case 26:
            return QueueError(
                .refused, "\(path) is not a database, so it is not a queue. It was not changed. Name another file.")
        case 11:
            return QueueError(
                .failed,
                "The queue \(path) is damaged: \(error). Stop the workers, keep a copy of the file and "
                    + "those beside it, and read what is left with: sqlite3 \(path) .recover")
        case 3, 8, 14, 23: return cannotBeWritten(path, because: "\(error)")
        default: return QueueError(.failed, "The queue \(path) failed: \(error).")
        }
    }

    /// Whether the connection can be used after this error.
    static func isHarmless(_ error: any Error) -> Bool {
        guard let code = (error as? SQLiteError)?.code else { return true }
        return [5, 6, 13].contains(code & 0xFF)
    }
}
