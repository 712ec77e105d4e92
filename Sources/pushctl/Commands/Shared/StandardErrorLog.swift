import Logging
import PushLocking
import PushTerminal

/// Prints the library's warnings, one line each.
///
/// What a command says itself, from its mailbox or in its answer, is not printed a second time, unless it is asked to be
/// verbose: then everything is, from the library's `info` on, with its flight records.
struct StandardErrorLog: LogHandler {
    /// Messages that a command prints itself.
    private static let shownElsewhere: Set<String> = [
        "reconnecting", "replacement failed", "the provider certificate expires",
        "suspended: APNs refuses the credential",
        "APNs refuses the credential and has never accepted it: the connection ends",
    ]
    private static let endOfProcess = "connection process failed"
    private static let flightRecord = "flight record"

    private let say: @Sendable (LogLine) -> Void
    private let isVerbose: Bool
    private let isRefused: Locked<Bool>
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level

    static func logger(isVerbose: Bool = false, _ say: @escaping @Sendable (LogLine) -> Void) -> Logger {
        let isRefused = Locked(false)
        return Logger(label: "pushctl") { _ in StandardErrorLog(isVerbose: isVerbose, isRefused: isRefused, say: say) }
    }

    private init(isVerbose: Bool, isRefused: Locked<Bool>, say: @escaping @Sendable (LogLine) -> Void) {
        self.isVerbose = isVerbose
        self.isRefused = isRefused
        self.say = say
        logLevel = isVerbose ? .info : .warning
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let message = event.message.description
        guard isVerbose || isNews(message) else { return }
        let facts = event.metadata ?? [:]
        if message == Self.flightRecord, case .array(let entries)? = facts["entries"] {
            for entry in entries { say(LogLine("pushctl: flight record: \(entry)".onOneLine)) }
            return
        }
        let known = facts.filter { isVerbose || $0.key != "pid" }.sorted { $0.key < $1.key }
        let tail = known.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        let text = "pushctl: \(event.level): \(message)\(tail.isEmpty ? "" : " (\(tail))")".onOneLine
        say(LogLine(text, event.level >= .error ? .error : event.level >= .warning ? .warning : .info))
    }

    /// Whether the message says what nothing else does.
    private func isNews(_ message: String) -> Bool {
        guard !Self.shownElsewhere.contains(message) else {
            if message.contains("refuses the credential") { isRefused.withLock { $0 = true } }
            return false
        }
        if message == Self.flightRecord { return false }
        // The process of a refused connection ends by intent.
        return message != Self.endOfProcess || !isRefused.withLock { $0 }
    }
}
