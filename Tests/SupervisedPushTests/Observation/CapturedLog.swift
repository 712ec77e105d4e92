import Logging
import PushLocking

/// Keeps what is logged, each line as text with its level and metadata.
final class CapturedLog: Sendable {
    private let kept = Locked<[String]>([])

    var lines: [String] { kept.withLock { $0 } }

    func logger(_ level: Logger.Level = .trace) -> Logger {
        Logger(label: "test") { [self] _ in Handler(log: self, logLevel: level) }
    }

    private struct Handler: LogHandler {
        let log: CapturedLog
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
            log.kept.withLock { $0.append("\(event.level) \(event.message) \(all)") }
        }
    }
}
