import CPushOpenSSL
import PushProtocol
import PushTerminal

/// What tells an input from others: its size and its hash. The name is for people.
package struct InputBinding: Equatable, Sendable {
    package var name: String
    package var size: UInt64
    /// In hexadecimal.
    package var sha256: String

    func isSameInput(as other: InputBinding) -> Bool { size == other.size && sha256 == other.sha256 }
}

extension InputFile {
    /// Reads the whole of a regular file, on its side: the position of `read` stays.
    ///
    /// - Throws: Status 66 if it can't be read, or the reading was stopped.
    package func binding() throws(CommandError) -> InputBinding {
        guard let context = EVP_MD_CTX_new() else { throw .input("cannot hash \(name): out of memory") }
        defer { EVP_MD_CTX_free(context) }
        EVP_DigestInit_ex(context, EVP_sha256(), nil)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 262_144, alignment: 16)
        defer { buffer.deallocate() }
        var size: UInt64 = 0
        while case let count = try read(at: size, into: buffer), count > 0 {
            guard !isStopped else { throw .input("\(name) was not read: the run was stopped") }
            EVP_DigestUpdate(context, buffer.baseAddress, count)
            size += UInt64(count)
        }
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_DigestFinal_ex(context, &digest, nil) == 1 else { throw .input("cannot hash \(name)") }
        return InputBinding(
            name: name, size: size,
            sha256: String(decoding: digest.flatMap { [Hex.digit($0 >> 4), Hex.digit($0)] }, as: UTF8.self))
    }
}
