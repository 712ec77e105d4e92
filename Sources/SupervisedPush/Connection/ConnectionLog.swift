import Logging
import PushTransport

/// What a connection writes to its logger. Messages are constant; values are in the metadata. It never logs a key, a
/// token or a payload.
struct ConnectionLog: Sendable {
    private let logger: Logger?

    init(_ logger: Logger?, name: String?) {
        var logger = logger
        if let name { logger?[metadataKey: "connection"] = "\(name)" }
        self.logger = logger
    }

    func report(_ fact: ConnectionFact, of pid: ProcessID) {
        guard let logger else { return }
        switch fact {
        case .connectionUp(let generation):
            logger.info("connection up", metadata: ["pid": "\(pid)", "generation": "\(generation)"])
        case .reconnecting(let attempt, let delay, let cause):
            logger.warning(
                "reconnecting",
                metadata: [
                    "pid": "\(pid)", "attempt": "\(attempt)", "delay": "\(delay.logged)", "layer": "\(cause.layer)",
                    "cause": "\(cause)",
                ])
        case .draining(let generation, let reason):
            logger.notice(
                "draining",
                metadata: ["pid": "\(pid)", "generation": "\(generation)", "reason": "\(reason ?? "none")"])
        case .suspended(let refusal, let nextProbe):
            logger.error(
                "suspended: APNs refuses the credential",
                metadata: [
                    "pid": "\(pid)", "layer": "\(refusal.layer)", "cause": "\(refusal)",
                    "next_probe": "\(nextProbe.logged)",
                ])
        case .credentialRefused(let refusal):
            logger.error(
                "APNs refuses the credential and has never accepted it: the connection ends",
                metadata: ["pid": "\(pid)", "layer": "\(refusal.layer)", "cause": "\(refusal)"])
        case .replacementFailed(let attempt, let delay, let cause):
            logger.warning(
                "replacement failed",
                metadata: [
                    "pid": "\(pid)", "attempt": "\(attempt)", "delay": "\(delay.logged)", "layer": "\(cause.layer)",
                    "cause": "\(cause)",
                ])
        case .retriesStopped(let opening):
            logger.warning(
                "retries stopped: APNs fails too often",
                metadata: [
                    "pid": "\(pid)", "failures": "\(opening.failures)", "answers": "\(opening.answers)",
                    "pause": "\(RetryBreaker.pause.logged)",
                ])
        case .late(let record, let streamID, _):
            logger.debug(
                "late response", metadata: ["pid": "\(pid)", "push": "\(record.id)", "stream": "\(streamID)"])
        }
    }

    /// Keys of a certificate are public.
    func unpinned(_ keys: [KeyPin], of pid: ProcessID) {
        logger?.warning(
            "none of the pinned keys is in the server's certificate chain: the connection continues, as configured",
            metadata: ["pid": "\(pid)", "keys": .array(keys.map { "\($0)" })])
    }

    func credentialExpires(inDays days: Int64) {
        logger?.warning("the provider certificate expires", metadata: ["days_left": "\(days)"])
    }

    func credentialLost(topics: [String]) {
        let shown =
            topics.prefix(10).joined(separator: ", ") + (topics.count > 10 ? " and \(topics.count - 10) more" : "")
        logger?.warning(
            "the new provider certificate is not for all topics of the one before; pushes to the others are refused",
            metadata: ["lost_topics": "\(shown)"])
    }

    func credentialNotReloaded(_ error: ConnectError) {
        logger?.error("the credential could not be reloaded; the one in use stays", metadata: ["error": "\(error)"])
    }

    func ended(_ pid: ProcessID, reason: ExitReason) {
        guard let logger else { return }
        switch reason {
        case .normal, .shutdown: logger.info("connection process ended", metadata: ["pid": "\(pid)"])
        case .failure, .killed:
            logger.error("connection process failed", metadata: ["pid": "\(pid)", "reason": "\(reason)"])
        }
    }

    /// Writes the newest entries of the flight record, if that level is enabled.
    func dump(_ pid: ProcessID, at level: Logger.Level, _ lines: () -> [String]) {
        guard let logger, logger.logLevel <= level else { return }
        let entries = lines().map { Logger.MetadataValue.string($0) }
        guard !entries.isEmpty else { return }
        logger.log(level: level, "flight record", metadata: ["pid": "\(pid)", "entries": .array(entries)])
    }

    var isOn: Bool { logger != nil }

    /// Of the last minute, at most once a minute. A rejection is an answer and no error, so nothing else tells who does not
    /// look at it.
    func rejectsMost(_ warning: RejectionAlarm.Warning) {
        logger?.warning(
            "APNs rejects most pushes",
            metadata: [
                "rejected": "\(warning.rejected)", "answers": "\(warning.answers)",
                "reasons": .dictionary(warning.rejections.mapValues { "\($0)" }),
            ])
    }

    /// Whether each rejection is logged.
    var showsRejections: Bool { logger.map { $0.logLevel <= .debug } ?? false }

    /// - Parameter reasons: The number of rejections for each reason.
    func rejected(_ reasons: [String: Int]) {
        logger?.debug("pushes rejected", metadata: ["reasons": .dictionary(reasons.mapValues { "\($0)" })])
    }

    /// The error is yours, and may contain secrets: only its type is logged.
    func feedbackFailed(_ error: any Error, of pid: ProcessID?) {
        logger?.warning(
            "the feedback handler threw",
            metadata: ["pid": "\(pid.map { "\($0)" } ?? "none")", "error": "\(type(of: error))"])
    }

    func handBackLost(_ line: HandBackLosses.Line) {
        logger?.warning(
            "pushes ended without an answer and could not be handed back",
            metadata: [
                "not_sent": "\(line.notSent)", "unprocessed": "\(line.unprocessed)", "unknown": "\(line.unknown)",
                "pushes": .array(line.examples.map { "\($0)" }),
            ])
    }
}
