/// How a provider that connects is received.
struct Reception {
    enum Welcome: Hashable {
        case served
        /// The connection ends at once.
        case refused(Fault.Cut)
        /// Nobody answers, ever.
        case silent
        /// An HTTP/1.1 error in plain text answers the first bytes.
        case plainText
    }

    var welcome = Welcome.served
    /// How long TLS takes to begin.
    var delay = Duration.zero
    /// How the handshake is written.
    var dribble: Dribble?
    /// What is wrong with TLS.
    var tls: TLSFault?

    /// What a proxy or a load balancer says to what it takes for HTTP.
    static let plainText = Array(
        "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 11\r\nConnection: close\r\n\r\nBad Request"
            .utf8)

    /// Adds what a fault does to it; of two that exclude each other the first counts.
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

    private mutating func refine(_ other: Welcome) {
        if welcome == .served { welcome = other }
    }
}
