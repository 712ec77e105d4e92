import Glibc
import TestSupport
import Testing

enum OpenSockets {
    /// What `/proc/self/fd` calls this process's sockets.
    static func names() -> Set<String> {
        guard let directory = opendir("/proc/self/fd") else { return [] }
        defer { closedir(directory) }
        var names: Set<String> = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var target = [CChar](repeating: 0, count: 256)
            let count = readlink("/proc/self/fd/\(name)", &target, 255)
            let text = String(decoding: target.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if text.hasPrefix("socket:") { names.insert(text) }
        }
        return names
    }

    /// Waits until the sockets that were opened after `before` was read are closed, but for nine.
    ///
    /// Other tests open sockets meanwhile, and close them. One that was left behind stays.
    static func waitUntilClosed(
        openedSince before: Set<String>, at place: SourceLocation = #_sourceLocation
    ) async {
        let opened = names().subtracting(before)
        await until(at: place) { names().intersection(opened).count < 10 }
    }
}
