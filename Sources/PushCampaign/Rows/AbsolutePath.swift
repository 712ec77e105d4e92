import Glibc

/// A path that means the same file in any folder, and by way of any link to the file's folder.
package enum AbsolutePath {
    package static func of(_ path: String) -> String {
        if let whole = resolved(path) { return whole }
        // It does not exist yet: its folder does.
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.count > 1 ? parts.dropLast().joined(separator: "/") : "."
        guard let name = parts.last, let parent = resolved(folder.isEmpty ? "/" : folder) else { return path }
        return parent == "/" ? "/\(name)" : "\(parent)/\(name)"
    }

    private static func resolved(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}
