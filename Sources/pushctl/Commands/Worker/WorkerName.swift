import Glibc

/// What a worker's name begins with, so that an operator knows whom to look at: `HOST-PID`.
enum WorkerName {
    private static let longestHost = 40

    static func make() -> String { make(host: host, process: getpid()) }

    static func make(host: String, process: Int32) -> String { "\(cleaned(host))-\(process)" }

    /// Without what a list of names, or a terminal, could misunderstand.
    private static func cleaned(_ host: String) -> String {
        let first = host.prefix { $0 != "." }.prefix(longestHost)
        let name = String(first.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
        return name.isEmpty ? "host" : name
    }

    private static var host: String {
        // One more stays zero: a name that is cut off has no end otherwise.
        var bytes = [UInt8](repeating: 0, count: 257)
        let code = bytes.withUnsafeMutableBytes { bytes in
            bytes.bindMemory(to: CChar.self).baseAddress.map { gethostname($0, bytes.count - 1) } ?? -1
        }
        guard code == 0 else { return "" }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
