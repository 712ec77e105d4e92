/// The file name of a signing key from Apple: `AuthKey_<key id>.p8`.
package enum KeyFileName {
    /// The key id in a path: the part after the last `_` of the file name, without its extension. Nil unless it
    /// consists of letters and digits, as key ids do; the caller must then ask for it.
    package static func keyID(in path: String) -> String? {
        guard let name = path.split(separator: "/", omittingEmptySubsequences: false).last,
            let underscore = name.lastIndex(of: "_")
        else { return nil }
        let id = name[name.index(after: underscore)...].prefix { $0 != "." }
        guard !id.isEmpty, id.utf8.allSatisfy(isLetterOrDigit) else { return nil }
        return String(id)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
