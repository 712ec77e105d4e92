extension PushFilter {
    /// The parameters that make a filter.
    static let parameters = [
        "topic", "type", "token", "status", "reason", "text", "key", "channel", "connection", "session",
    ]
    /// The longest value, in bytes.
    private static let longest = 1_024

    /// Reads a filter from the parameters of a query.
    ///
    /// - Parameters:
    ///   - sessions: Those that `session` may name.
    ///   - header: The session that the header `X-Push-Session` names; the parameter takes precedence.
    init(
        _ parameters: [String: String], sessions: [String: PushSession], header: String? = nil
    ) throws(InboxProblem) {
        self.init()
        for (name, value) in parameters where Self.parameters.contains(name) && value.utf8.count > Self.longest {
            throw .parameter(name, "is longer than 1,024 bytes")
        }
        topic = parameters["topic"]
        type = parameters["type"]
        token = parameters["token"]?.lowercased()
        reason = parameters["reason"]
        text = parameters["text"].flatMap { $0.isEmpty ? nil : $0 }
        keyID = parameters["key"]
        channel = parameters["channel"]
        if let value = parameters["status"] {
            guard let status = Status(value) else {
                throw .parameter("status", "must be a status such as 410, or 4xx, accepted, refused")
            }
            self.status = status
        }
        if let value = parameters["connection"] {
            guard let number = Int(value) else { throw .parameter("connection", "must be the number of a connection") }
            connection = number
        }
        if let name = parameters["session"] ?? header {
            session = sessions[name] ?? PushSession(name: name)
        }
    }
}
