import Logging

/// Prints the library's warnings, one line each.
struct StandardErrorLog: LogHandler {
    /// Messages that a command prints itself, from its mailbox.
    private static let shownElsewhere: Set<String> = ["reconnecting"]

    private let say: @Sendable (String) -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.warning

    static func logger(_ say: @escaping @Sendable (String) -> Void) -> Logger {
        Logger(label: "pushctl") { _ in StandardErrorLog(say) }
    }

    private init(_ say: @escaping @Sendable (String) -> Void) { self.say = say }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let message = event.message.description
        guard !Self.shownElsewhere.contains(message) else { return }
        let facts = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        let tail = facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))"
        say("pushctl: \(event.level): \(message)\(tail)".onOneLine)
    }
}
