#if Server
    import HTTPTypes
    import Hummingbird
    import NIOCore

    /// The parameters of a request, checked.
    struct Query: Sendable {
        private let parameters: [String: String]
        private let session: String?
        private let lastEventID: String?

        /// The longest body.
        static let mostBytes = 64 << 10

        init(_ request: Request) {
            parameters = FormText.fields(request.uri.query ?? "")
            session = HTTPField.Name("X-Push-Session").flatMap { request.headers[$0] }
            lastEventID = HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] }
        }

        func filter(_ service: InboxService) throws(InboxProblem) -> PushFilter {
            let known = PushFilter.parameters + Self.others
            if let name = parameters.keys.sorted().first(where: { !known.contains($0) }) {
                throw .parameter(name, "is unknown; known are \(known.joined(separator: ", "))")
            }
            return try service.filter(parameters, session: session)
        }

        private static let others = ["after", "before", "limit", "view", "count", "timeout", "most", "last"]

        func page() throws(InboxProblem) -> PushPage {
            PushPage(
                after: try integer("after", 0...(.max)), before: try integer("before", 0...(.max)),
                limit: try integer("limit", 1...PushPage.most) ?? 100, isSummary: try isSummary())
        }

        func isSummary() throws(InboxProblem) -> Bool {
            guard let view = parameters["view"] else { return false }
            guard view == "summary" || view == "full" else { throw .parameter("view", "must be summary or full") }
            return view == "summary"
        }

        func integer(_ name: String, _ range: ClosedRange<Int>) throws(InboxProblem) -> Int? {
            guard let text = parameters[name] else { return nil }
            guard let number = Int(text), range.contains(number) else {
                let wanted =
                    range.upperBound == .max
                    ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
                throw .parameter(name, "must be a whole number, \(wanted)")
            }
            return number
        }

        /// Where a reader of events begins: after the last event that it saw, or now.
        func position(_ service: InboxService) throws(InboxProblem) -> InboxPosition {
            let now = service.store.position
            guard let text = lastEventID ?? parameters["last"] else { return now }
            guard var position = InboxPosition(text) else {
                throw .parameter("Last-Event-ID", "must be the id of an event")
            }
            position.changes = now.changes
            return position
        }

        static func number(_ context: some RequestContext, _ name: String) throws(InboxProblem) -> Int {
            guard let number = context.parameters.get(name).flatMap({ Int($0) }) else {
                throw .parameter(name, "must be a whole number")
            }
            return number
        }

        /// A part of the path as it was meant.
        static func text(_ context: some RequestContext, _ name: String) -> String {
            FormText.percentDecoded(context.parameters.get(name) ?? "")
        }

        /// The body, which must say that it is JSON: a form of another site can't say so.
        static func body(of request: Request) async throws -> [UInt8] {
            let type = request.headers[.contentType]?.split(separator: ";").first.map { $0.lowercased() }
            guard type == "application/json" else {
                throw InboxProblem(
                    415, name: "not-json", title: "The body must be JSON.",
                    detail: "Send Content-Type: application/json.")
            }
            return Array(try await request.body.collect(upTo: mostBytes).readableBytesView)
        }
    }
#endif
