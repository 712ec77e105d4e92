import Glibc

/// Reads and writes small files.
enum FileAccess {
    /// Credentials have a few KiB. Longer files are cut off.
    private static let longest = 1 << 20

    static func read(_ path: String) throws(SimulatorError) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("read", path) }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while content.count < longest {
            let count = buffer.withUnsafeMutableBytes { systemRead(descriptor, $0) }
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure("read", path)
            }
            content.append(contentsOf: buffer.prefix(count))
        }
        return String(decoding: content, as: UTF8.self)
    }

    /// Writes a new file beside the old one and renames it, so that readers never see half of it. `mode` applies from
    /// the first byte.
    static func write(_ text: String, to path: String, mode: mode_t) throws(SimulatorError) {
        let draft = path + ".new"
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw failure("write", draft) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let error = failure("write", draft)
                close(descriptor)
                unlink(draft)
                throw error
            }
            rest = rest.dropFirst(count)
        }
        close(descriptor)
        guard rename(draft, path) == 0 else { throw failure("write", path) }
    }

    /// Creates a directory that only its owner can enter, unless it exists.
    static func makeDirectory(_ path: String) throws(SimulatorError) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("make", path) }
    }

    static func names(in directory: String) throws(SimulatorError) -> [String] {
        guard let stream = opendir(directory) else { throw failure("read", directory) }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
                        String(cString: $0)
                    }
                })
        }
        return names
    }

    private static func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    }

    private static func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
        Glibc.write(descriptor, buffer.baseAddress, buffer.count)
    }

    private static func failure(_ deed: String, _ path: String) -> SimulatorError {
        SimulatorError(.file, "Can't \(deed) \(path): \(String(cString: strerror(errno))).")
    }
}
