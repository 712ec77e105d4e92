/// How a new connection is treated.
struct AcceptBehavior {
    enum Response: Hashable {
        case served
        /// The connection ends at once.
        case refused(Fault.Cut)
        /// There is never an answer.
        case silent
        /// The first bytes get an HTTP/1.1 error in plain text.
        case plainText
    }

    var response = Response.served
    /// The delay before TLS starts.
    var delay = Duration.zero
    /// How the handshake is written.
    var dribble: Dribble?
    /// What is wrong with TLS.
    var tls: TLSFault?

    /// What a proxy or a load balancer answers to something it mistakes for HTTP.
    static let plainText = Array(
        "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 11\r\nConnection: close\r\n\r\nBad Request"
            .utf8)

    /// Adds the effect of a fault. Of two that exclude each other, the first counts.
    mutating func add(_ fault: Fault) {
        switch fault {
        case .cut(let cut): refine(.refused(cut))
        case .deafen: refine(.silent)
        case .plainText: refine(.plainText)
        case .delayHandshake(let duration): delay += max(.zero, duration)
        case .dribbleHandshake(let pace): if dribble == nil { dribble = pace }
        case .tls(let fault): if tls == nil { tls = fault }
        default: break
        }
    }

    private mutating func refine(_ other: Response) {
        if response == .served { response = other }
    }
}
