/// A request that is being received, and its answer.
struct ServerStream: SlabElement {
    var id: StreamID = 0
    var headers = HeaderBlock()
    var headerSize = 0
    var hasAllHeaders = true
    var body: [UInt8] = []
    var bodyLength = 0
    /// The request's END_STREAM arrived.
    var isReceived = false
    var outgoing = OutgoingBody()

    init() {}

    mutating func vacate() {
        self = ServerStream()
    }

    /// Moves the request out.
    mutating func takeRequest() -> Request {
        let request = Request(
            stream: id, headers: headers, hasAllHeaders: hasAllHeaders, body: body, bodyLength: bodyLength)
        headers = HeaderBlock()
        body = []
        return request
    }
}
