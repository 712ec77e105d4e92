import Tracing

/// Where a connection's spans go. See the article "Watching a connection" for their attributes.
public struct TracingDestination: Sendable {
    enum Kind: Sendable {
        case bootstrapped
        case tracer(any Tracer)
        case none
    }

    let kind: Kind

    /// To the tracer that the program gave `InstrumentationSystem.bootstrap` before it connected; without one, no span
    /// is made, and nothing is spent. The default.
    public static let bootstrapped = Self(kind: .bootstrapped)
    /// Nowhere.
    public static let none = Self(kind: .none)
    /// To this tracer.
    public static func tracer(_ tracer: any Tracer) -> Self { Self(kind: .tracer(tracer)) }

    /// The tracer; nil if there is none.
    var tracer: (any Tracer)? {
        switch kind {
        case .bootstrapped:
            let tracer = InstrumentationSystem.tracer
            return tracer is NoOpTracer ? nil : tracer
        case .tracer(let tracer): return tracer
        case .none: return nil
        }
    }
}

/// What makes a connection's spans: one for each push, from the call to its outcome.
final class PushSpans: Sendable {
    fileprivate let tracer: any Tracer
    fileprivate let host: String
    fileprivate let port: Int

    /// Nil if there is no tracer.
    init?(_ config: PushConnection.Configuration) {
        guard let tracer = config.watching.tracing.tracer else { return nil }
        self.tracer = tracer
        (host, port) = (config.effectiveHost, config.port)
    }
}

/// The span of one push. Names and attributes follow OpenTelemetry's conventions for messaging. They contain no device
/// token and no payload.
struct PushSpan: Sendable {
    private let span: any Span
    private let record: PushRecord
    private let room: SharedWaitingRoom

    /// Begins the span, as a child of the caller's.
    init(_ spans: PushSpans, record: PushRecord, room: SharedWaitingRoom) {
        self.record = record
        self.room = room
        let route = record.head.template.route
        let destination = route?.bundleID ?? record.head.template.topic?.rawValue
        span = spans.tracer.startSpan(destination.map { "send \($0)" } ?? "send", ofKind: .client)
        span.updateAttributes { attributes in
            attributes["messaging.system"] = "apns"
            attributes["messaging.operation.name"] = route == nil ? "push" : "broadcast"
            attributes["messaging.operation.type"] = "send"
            attributes["messaging.destination.name"] = destination
            attributes["messaging.message.id"] = record.apnsID?.description
            attributes["messaging.message.body.size"] = record.notification.payload.count
            attributes["server.address"] = spans.host
            attributes["server.port"] = spans.port
        }
    }

    /// Ends it with the push's outcome.
    func end(_ outcome: Result<PushResponse, PushError>) {
        span.updateAttributes { attributes in
            attributes["supervised_push.attempts"] = room.progress(of: record).attempts
            switch outcome {
            case .success(let response):
                attributes["http.response.status_code"] = response.status
                attributes["messaging.message.id"] = response.apnsID?.description
                if !response.isSuccess { attributes["error.type"] = response.errorType }
            case .failure(let error):
                attributes["error.type"] = error.code.name
                attributes["supervised_push.certainty"] = error.certainty.rawValue
            }
        }
        switch outcome {
        case .success(let response) where response.isSuccess: break
        case .success(let response): span.setStatus(SpanStatus(code: .error, message: response.errorType))
        case .failure(let error): span.setStatus(SpanStatus(code: .error, message: error.code.name))
        }
        span.end()
    }

    /// Ends the span of a fire-and-forget push: it was accepted, or refused.
    func end(refused error: PushError?) {
        if let error {
            span.attributes["error.type"] = error.code.name
            span.setStatus(SpanStatus(code: .error, message: error.code.name))
        }
        span.end()
    }
}

extension PushResponse {
    /// The reason as a word of a bounded set, or the status if there is none.
    fileprivate var errorType: String { reason == nil ? "\(status)" : reasonLabel }
}
