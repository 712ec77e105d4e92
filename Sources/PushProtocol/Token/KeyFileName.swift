/// The name under which Apple hands out a signing key: `AuthKey_<key id>.p8`.
package enum KeyFileName {
    /// The key id in a path: the part behind the last `_` of the file's name, without its extension. Nil unless that is
    /// letters and digits only, as key ids are; then the caller has to be asked for it.
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
