import Glibc

/// The system's text for an error number.
package enum SystemError {
    package static func text(_ code: Int32) -> String {
        // For known errors the text is constant, so this is thread-safe.
        guard let text = strerror(code) else { return "error \(code)" }
        return String(cString: text).lowercasedFirst
    }

    /// What to do about an error that does not concern the file itself; nil for all others.
    package static func remedy(_ code: Int32) -> String? {
        switch code {
        case EMFILE: "raise the limit of open files (ulimit -n)"
        case ENFILE: "the machine has too many files open; end other programs, or raise fs.file-max"
        case ENOMEM: "the machine is out of memory; end other programs"
        default: nil
        }
    }
}

extension String {
    package var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
