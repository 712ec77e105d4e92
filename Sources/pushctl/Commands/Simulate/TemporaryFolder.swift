import Glibc
import PushCampaign
import PushTerminal

/// A folder for the files of one run, which only this user can enter.
struct TemporaryFolder: Sendable {
    let path: String

    init() throws(CommandError) {
        let base = AbsolutePath.of(EnvironmentVariable.value("TMPDIR") ?? "/tmp")
        var template = Array("\(base)/pushctl-simulate.XXXXXX".utf8CString)
        guard template.withUnsafeMutableBufferPointer({ $0.baseAddress.flatMap { mkdtemp($0) } }) != nil else {
            throw .configuration("cannot make a temporary folder in \(base): \(SystemError.text(errno))")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Removes these files, and the folder if it is then empty.
    func remove(with files: [String]) {
        for file in files { unlink(file) }
        rmdir(path)
    }
}
