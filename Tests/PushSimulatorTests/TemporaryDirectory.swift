import Glibc

@testable import PushSimulator

/// A directory that is gone with its last reference, with the files in it.
final class TemporaryDirectory {
    let path: String

    init() throws {
        var template = Array("/tmp/push-simulator-tests-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(code: errno) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    struct Failure: Error {
        let code: Int32
    }

    deinit { Self.delete(path) }

    private static func delete(_ path: String) {
        // A file ends here; what is not empty is a directory.
        guard remove(path) != 0, let names = try? FileAccess.names(in: path) else { return }
        for name in names where name != "." && name != ".." { delete(path + "/" + name) }
        remove(path)
    }

    func delete(_ file: String) { remove(file) }

    func mode(of file: String) -> mode_t? {
        var status = stat()
        guard stat(file, &status) == 0 else { return nil }
        return status.st_mode & 0o777
    }
}
