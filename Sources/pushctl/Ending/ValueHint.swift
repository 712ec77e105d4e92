/// What would be a valid value of an option, where the parser only says that one is not.
enum ValueHint {
    private static let hints: [String: String] = {
        let seconds = "give seconds from 0 to 604800, such as 10 or 0.5"
        let time = "give UNIX seconds, as date +%s prints them"
        let port = "give a number from 1 to 65535"
        let anyPort = "give a number from 0 to 65535; 0 takes a free one"
        return [
            "--timeout": seconds, "--connect-timeout": seconds, "--max-outage": seconds, "--drain": seconds,
            "--max-wait": seconds,
            "--expiration": time, "--timestamp": time, "--stale-date": time, "--dismissal-date": time,
            "--port": port, "--management-port": port,
            "--metrics-port": anyPort, "simulate --port": anyPort, "simulate --management-port": anyPort,
            "--connections": "give a number, or the least and the most: 4 or 2...8",
            "--retry-status": "give a number from 0 to 19",
            "--priority": "give 10, 5 or 1",
            "--badge": "give a whole number; 0 clears it",
            "--critical-volume": "give a number from 0 to 1",
            "--relevance-score": "give a number from 0 to 1",
            "--pushes": "give a whole number, 1 or more",
            "--rate": "give a number from 1 to 1000000",
            "worker --rate": "give pushes a second from 0.001 to 10000000, such as 500 or 0.5",
            "--limit": "give a whole number, 1 or more",
            "--from-line": "give the number of a line, from 1",
        ]
    }()

    /// The parser's message with a hint at its end, if there is one for the option.
    ///
    /// - Parameter arguments: What was parsed. The parser takes a value that begins with a hyphen for an option.
    static func completed(_ message: String, _ arguments: [String]) -> String {
        // `…for '--timeout <timeout>'`
        let parts = message.split(separator: "'", omittingEmptySubsequences: false)
        guard parts.count > 2, parts[parts.count - 1].isEmpty, case let option = parts[parts.count - 2],
            option.hasPrefix("--")
        else { return message }
        let name = String(option.prefix { $0 != " " })
        // Some commands take other values than most.
        let hint = (hints["\(arguments.first ?? "") \(name)"] ?? hints[name]).map { "; \($0)" } ?? ""
        guard message.hasPrefix("Missing value") else { return message + hint }
        guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count,
            case let value = arguments[index + 1], Double(value) != nil
        else { return message }
        return "The value '\(value)' is invalid for '\(option)'\(hint)"
    }
}
