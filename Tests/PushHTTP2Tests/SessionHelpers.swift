import PushHTTP2

func requestFields(_ path: String = "/3/device/ab") -> FieldList {
    var fields = FieldList()
    fields.append(":method", "POST")
    fields.append(":scheme", "https")
    fields.append(":path", path, indexing: .without)
    fields.append(":authority", "api.push.apple.com")
    fields.append("authorization", "bearer secret", indexing: .never)
    fields.append("apns-topic", "com.example.app")
    return fields
}

func responseFields(_ status: String, _ more: [(String, String)] = []) -> FieldList {
    var fields = FieldList()
    fields.append(":status", status)
    for (name, value) in more { fields.append(name: name, value: value) }
    return fields
}

extension ClientSession {
    static func make(_ change: (inout Configuration) -> Void = { _ in }) throws -> ClientSession {
        var configuration = Configuration()
        configuration.assumedMaxConcurrentStreams = 1_000
        change(&configuration)
        return try ClientSession(configuration)
    }

    func receive(_ bytes: [UInt8]) throws -> [ClientEvent] {
        var events: [ClientEvent] = []
        try bytes.withUnsafeBytes { try receive($0, into: &events) }
        return events
    }

    func produceAll() throws -> [UInt8] {
        var bytes: [UInt8] = []
        try produce(into: &bytes, upTo: .max)
        return bytes
    }

    func laterEvents() -> [ClientEvent] {
        var events: [ClientEvent] = []
        takeEvents(into: &events)
        return events
    }

    func post(_ body: String = "{}", tag: Int = 0) throws -> StreamID {
        try submit(requestFields(), body: Array(body.utf8), tag: tag)
    }
}

extension ServerSession {
    static func make(_ change: (inout Configuration) -> Void = { _ in }) throws -> ServerSession {
        var configuration = Configuration()
        change(&configuration)
        return try ServerSession(configuration)
    }

    func receive(_ bytes: [UInt8]) throws -> [ServerEvent] {
        var events: [ServerEvent] = []
        try bytes.withUnsafeBytes { try receive($0, into: &events) }
        return events
    }

    func produceAll() throws -> [UInt8] {
        var bytes: [UInt8] = []
        try produce(into: &bytes, upTo: .max)
        return bytes
    }

    func laterEvents() -> [ServerEvent] {
        var events: [ServerEvent] = []
        takeEvents(into: &events)
        return events
    }
}

extension ClientEvent {
    /// The stream whose last event this is.
    var ended: StreamID? {
        switch self {
        case .response(let response): response.stream
        case .closed(let stream, _, _, _, _): stream
        default: nil
        }
    }

    var response: Response? {
        if case .response(let response) = self { response } else { nil }
    }
}

extension ServerEvent {
    var request: Request? {
        if case .request(let request) = self { request } else { nil }
    }
}

/// A client and a server joined in one thread.
struct JoinedSessions {
    let client: ClientSession
    let server: ServerSession
    var clientEvents: [ClientEvent] = []
    var serverEvents: [ServerEvent] = []
    /// Called with each request as it arrives.
    var onRequest: (ServerSession, Request) -> Void = { server, request in
        server.respond(request.stream, fields: responseFields("200", [("apns-id", "id-\(request.stream)")]))
    }

    init(client: ClientSession, server: ServerSession) {
        self.client = client
        self.server = server
    }

    /// Carries bytes to and fro, in pieces of at most `limit`, until both are silent.
    mutating func exchange(limit: Int = 16_384) throws {
        var quiet = false
        while !quiet {
            quiet = true
            var bytes: [UInt8] = []
            try client.produce(into: &bytes, upTo: limit)
            if !bytes.isEmpty {
                quiet = false
                let events = try server.receive(bytes)
                serverEvents += events
                for request in events.compactMap(\.request) { onRequest(server, request) }
            }
            bytes.removeAll()
            try server.produce(into: &bytes, upTo: limit)
            if !bytes.isEmpty {
                quiet = false
                clientEvents += try client.receive(bytes)
            }
        }
        clientEvents += client.laterEvents()
        serverEvents += server.laterEvents()
    }
}
