import PushTerminal

/// The password of a proxy stands in a variable or in a file, not on the command line.
enum ProxyPassword {
    private static let flag = "--proxy"

    /// - Parameter flags: Those that were given, without the settings of a configuration.
    /// - Throws: Exit code 64 if the URL of a proxy among them has a password.
    static func refuse(in flags: ArraySlice<String>) throws(CommandError) {
        for (argument, next) in zip(flags, flags.dropFirst() + [""]) {
            let isInNext = argument == flag && hasPassword(next)
            guard isInNext || argument.hasPrefix(flag + "=") && hasPassword(String(argument.dropFirst(flag.count + 1)))
            else { continue }
            throw .usage(
                "--proxy has a password, which every user of this machine can read there; give the URL by the variable "
                    + "HTTPS_PROXY, or as proxy in the file of --config or --profile.")
        }
    }

    /// Whether a text follows the first colon before the last `@`. The scheme may be left out.
    private static func hasPassword(_ url: String) -> Bool {
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        guard let end = url[start...].lastIndex(of: "@"), let colon = url[start..<end].firstIndex(of: ":") else {
            return false
        }
        return url.index(after: colon) < end
    }
}
