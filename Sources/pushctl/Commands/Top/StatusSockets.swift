import FoundationEssentials
import Glibc
import PushTerminal

/// The place where status sockets are found without a path.
enum StatusSockets {
    /// The socket that is meant if none is named.
    static func only() throws(CommandError) -> String {
        let place = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } ?? ""
        guard place.hasPrefix("/") else {
            throw .usage("name the status socket: XDG_RUNTIME_DIR is not set, so there is no place to look for one.")
        }
        let folder = place + "/supervised-push"
        let found = sockets(in: folder)
        switch found.count {
        case 1: return found[0]
        case 0: throw .usage("name the status socket: there is none in \(folder).")
        default:
            let names = found.prefix(5).joined(separator: ", ") + (found.count > 5 ? ", …" : "")
            throw .usage("name one of the \(found.count) status sockets: \(names).")
        }
    }

    /// The files of a folder whose names end in `.sock`, sorted.
    private static func sockets(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".sock") && !$0.hasPrefix(".") }.sorted().map { folder + "/" + $0 }
    }
}
