/// The password of a certificate's key, in the first line of a file.
package enum PasswordFile {
    private static let limit = 4_096

    /// The first line without its end.
    ///
    /// - Throws: `credential` if the file cannot be read, or its first line is longer than 4,096 bytes or not UTF-8.
    package static func password(_ path: String) throws(ConnectError) -> String {
        let bytes = try text(path)
        var line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard line.count <= limit else { throw refusal(path, because: "its first line is longer than \(limit) bytes") }
        guard let password = String(validating: line, as: UTF8.self) else {
            throw refusal(path, because: "it is not UTF-8")
        }
        return password
    }

    private static func text(_ path: String) throws(ConnectError) -> [UInt8] {
        let bytes = try ByteSource.file(path).read("password")
        do throws(TextEncoding.Foreign) { return try TextEncoding.text(bytes, name: path) } catch {
            throw refusal(path, because: "it \(error.sentence)")
        }
    }

    private static func refusal(_ path: String, because why: String) -> ConnectError {
        ConnectError(.credential, "The password in \(path) can't be read: \(why).")
    }
}
