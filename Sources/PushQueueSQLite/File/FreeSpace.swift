import Glibc

/// How much of a file system is free for this user.
enum FreeSpace {
    /// The free bytes of the file system that has the path; nil if it cannot be asked.
    static func bytes(at path: String) -> UInt64? {
        var system = statvfs()
        guard statvfs(path, &system) == 0 else { return nil }
        return bytes(blocks: UInt64(system.f_bavail), size: UInt64(system.f_frsize))
    }

    /// Some file systems, such as those of a network, tell numbers whose product is no 64-bit number: they have room.
    static func bytes(blocks: UInt64, size: UInt64) -> UInt64 {
        let (bytes, overflow) = blocks.multipliedReportingOverflow(by: size)
        return overflow ? .max : bytes
    }
}
