import PushTerminal

/// What several queues have in common, and where an outage is one for all of them.
enum SharedEndpoint: Hashable, Comparable, Sendable {
    /// `HOST:PORT` of APNs.
    case link(String)
    /// The place of the queues.
    case store(String)
}

/// Says of an outage once for all queues that it concerns. Times are seconds since the run began.
struct EndpointOutages: Sendable {
    /// How long news are gathered before a line is said.
    static let gathering = 1.0
    /// How often an outage that lasts is reported again.
    static let repetition = 60.0

    private struct Outage {
        var queues: Set<String> = []
        var cause = ""
        var since: Double
        var told: Double?
        /// The queues that are back since the line was said.
        var back: Set<String> = []
        /// No queue is without all of its links.
        var isPartial = true
    }

    private var outages: [SharedEndpoint: Outage] = [:]

    init() {}

    /// - Parameters:
    ///   - left: How many other links of the queue are up.
    ///   - isWorse: Whether it is reported again although the outage is known.
    mutating func lost(
        _ endpoint: SharedEndpoint, of queue: String, cause: String, left: Int = 0, isWorse: Bool = false,
        at now: Double
    ) {
        var outage = outages[endpoint] ?? Outage(since: now)
        let becomesWhole = outage.isPartial && left == 0
        // Once no link is up anywhere, a queue that loses one of several adds nothing.
        guard outage.isPartial || left == 0 else { return }
        outage.queues.insert(queue)
        outage.back.remove(queue)
        outage.cause = cause
        outage.isPartial = outage.isPartial && left > 0
        if isWorse || (becomesWhole && outage.told != nil) { (outage.since, outage.told) = (now, nil) }
        outages[endpoint] = outage
    }

    /// Whether an outage of the endpoint concerns the queue.
    func concerns(_ queue: String, _ endpoint: SharedEndpoint) -> Bool {
        outages[endpoint]?.queues.contains(queue) == true
    }

    mutating func back(_ endpoint: SharedEndpoint, of queue: String) {
        guard outages[endpoint]?.queues.remove(queue) != nil else { return }
        outages[endpoint]?.back.insert(queue)
    }

    /// A queue is not worked on any more.
    mutating func forget(_ queue: String) {
        for (endpoint, var outage) in outages {
            outage.queues.remove(queue)
            outage.back.remove(queue)
            outages[endpoint] = outage.queues.isEmpty && outage.back.isEmpty ? nil : outage
        }
    }

    /// What is to be said now. Call it once a second.
    mutating func lines(at now: Double) -> [LogLine] {
        var lines: [LogLine] = []
        for (endpoint, outage) in outages.sorted(by: { $0.key < $1.key }) {
            if outage.queues.isEmpty {
                outages[endpoint] = nil
                if outage.told != nil, !outage.isPartial { lines.append(LogLine(Self.end(endpoint, outage))) }
            } else if outage.told.map({ now - $0 >= Self.repetition }) ?? (now - outage.since >= Self.gathering) {
                outages[endpoint]?.told = now
                lines.append(LogLine(Self.line(endpoint, outage), .warning))
            }
        }
        return lines
    }

    private static func line(_ endpoint: SharedEndpoint, _ outage: Outage) -> String {
        let who = names(outage.queues)
        return switch endpoint {
        case .link(let place) where outage.isPartial:
            "pushctl: a link to \(place) is gone (\(who)): \(outage.cause)".onOneLine
        case .link(let place): "pushctl: no link to \(place) (\(who)): \(outage.cause)".onOneLine
        case .store(let place): "pushctl: the queue \(place) cannot be used (\(who)): \(outage.cause)".onOneLine
        }
    }

    private static func end(_ endpoint: SharedEndpoint, _ outage: Outage) -> String {
        let who = names(outage.back)
        return switch endpoint {
        case .link(let place): "pushctl: connected to \(place) (\(who))".onOneLine
        case .store(let place): "pushctl: the queue \(place) answers again (\(who))".onOneLine
        }
    }

    private static func names(_ queues: Set<String>) -> String {
        queues.count > 3
            ? "\(queues.count) queues" : queues.sorted().map { $0.shortened(to: 60) }.joined(separator: ", ")
    }
}
