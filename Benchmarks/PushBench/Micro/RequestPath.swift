import PushHTTP2
import PushProtocol

/// Requests from header fields to bytes and answers from bytes to events, between two sessions in memory.
struct RequestPath {
    private let client: ClientSession
    private let server: ServerSession
    private let heads: [RequestHead]
    private let body: [UInt8]
    private var sink = ListSink()
    private var bytes: [UInt8] = []
    private(set) var encoding = MicroTimer()
    private(set) var decoding = MicroTimer()
    /// Bytes of one request.
    private(set) var requestBytes = 0

    init(_ work: Work, burst: Int) throws {
        var configuration = ClientSession.Configuration()
        configuration.assumedMaxConcurrentStreams = burst
        client = try ClientSession(configuration)
        // A burst goes in one piece, so its bodies must fit the window.
        var serverConfiguration = ServerSession.Configuration()
        serverConfiguration.connectionWindow = 16 << 20
        server = try ServerSession(serverConfiguration)
        body = work.notification(0).payload.bytes
        let defaults = RequestDefaults(topic: "com.example.benchmark", apnsID: .byServer)
        heads = (0..<burst).map {
            RequestHead(work.notification($0), to: work.token($0), defaults: defaults, apnsID: nil)
        }
        try meet()
    }

    /// The preface and SETTINGS of both sides, before which there is no window for that many bodies.
    private mutating func meet() throws {
        try client.produce(into: &bytes, upTo: .max)
        var seen: [ServerEvent] = []
        try bytes.withUnsafeBytes { try server.receive($0, into: &seen) }
        bytes.removeAll(keepingCapacity: true)
        try server.produce(into: &bytes, upTo: .max)
        var answers: [ClientEvent] = []
        try bytes.withUnsafeBytes { try client.receive($0, into: &answers) }
    }

    /// A burst of requests and their answers. Only the client's side is timed.
    mutating func burst() throws {
        bytes.removeAll(keepingCapacity: true)
        try encoding.time(heads.count) {
            for (tag, head) in heads.enumerated() {
                sink.begin()
                head.visit(&sink)
                sink.end()
                _ = try client.submit(sink.fields, body: body, tag: tag)
            }
            try client.produce(into: &bytes, upTo: .max)
        }
        requestBytes = bytes.count / max(1, heads.count)
        var requests: [ServerEvent] = []
        try bytes.withUnsafeBytes { try server.receive($0, into: &requests) }
        var fields = FieldList()
        fields.append(":status", "200")
        for case .request(let request) in requests { _ = server.respond(request.stream, fields: fields) }
        bytes.removeAll(keepingCapacity: true)
        try server.produce(into: &bytes, upTo: .max)
        var answers: [ClientEvent] = []
        try decoding.time(heads.count) {
            try bytes.withUnsafeBytes { try client.receive($0, into: &answers) }
        }
        let responses = answers.count { if case .response = $0 { true } else { false } }
        guard responses == heads.count else { throw BenchError("\(responses) answers to \(heads.count) requests") }
    }
}

/// Puts the fields of a request into a list, as the connection's encoder does.
private struct ListSink: FieldSink {
    private(set) var fields = FieldList()
    private let authorization = Array("bearer \(String(repeating: "eyJhbGciOiJFUzI1NiIs", count: 9))".utf8)

    mutating func begin() {
        fields.removeAll()
        fields.append(":method", "POST")
        fields.append(":scheme", "https")
        fields.append(":authority", "api.push.apple.com")
    }

    mutating func end() {
        authorization.withUnsafeBytes { fields.append("authorization", bytes: $0, indexing: .never) }
    }

    mutating func field(_ field: RequestHeaders.Field, indexing: TableUse) {
        fields.append(name: field.name, value: field.value, indexing: indexing == .incremental ? .incremental : .never)
    }

    mutating func field(
        _ name: StaticString, _ value: UnsafeRawBufferPointer, indexing: TableUse
    ) {
        fields.append(name, bytes: value, indexing: indexing == .incremental ? .incremental : .never)
    }
}
