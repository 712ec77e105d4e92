import PushHTTP2
import PushTransport

/// Why a request cannot be made, on any link.
struct UnsendablePush: Error {
    let code: PushError.Code
    /// What is wrong and what to do.
    let sentence: String

    init(_ code: PushError.Code, _ sentence: String) {
        self.code = code
        self.sentence = sentence
    }
}

/// The reason in a GOAWAY: APNs puts JSON with a `reason` into its debug data, or nothing.
enum GoAwayReason {
    /// The longest reason that is accepted.
    private static let limit = 1_024

    static func text(_ code: HTTP2ErrorCode, data: [UInt8]) -> String? {
        if data.count <= limit, let reason = ResponseDecoder.goAwayReason(data) { return reason.rawValue }
        return code == .noError ? nil : "\(code)"
    }

    /// A reason that is safe to keep: a word like Apple's, of ASCII letters. Nil for anything else.
    static func word(_ reason: String?) -> String? {
        guard let reason else { return nil }
        let isWord =
            reason.utf8.count <= 40
            && reason.utf8.allSatisfy { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || $0 == 0x5F }
        return isWord ? reason : "other"
    }
}

extension LinkFailure {
    init(_ error: TransportError) {
        let layer: ErrorLayer =
            switch error.layer {
            case .resolve: .resolve
            case .connect: .connect
            case .proxy: .proxy
            case .tls: .tls
            case .socket: .socket
            }
        self.init(
            layer, error.sentence, refusesCertificate: error.code == .certificateRefused,
            isLasting: Self.lasting.contains(error.code))
    }

    /// The peer agreed on HTTP/2 in the TLS handshake, and does not speak it.
    static let http1 = LinkFailure(
        .http2, "The server agreed on HTTP/2 and speaks HTTP/1: it is not APNs, or a proxy answers in its place.",
        refusesCertificate: false, isLasting: true)

    /// A failure that time does not correct. A connection dials again all the same, because
    /// the server or its network may be corrected.
    private static let lasting: Set<TransportError.Code> = [
        .unknownHost, .certificateExpired, .certificateNotYetValid, .untrustedIssuer, .wrongHost, .certificateWeak,
        .certificateInvalid, .pinMismatch, .noHTTP2, .proxyAuthentication, .proxyForbidden,
    ]
}

extension PushResponse {
    /// The answer of APNs, as the session received it.
    init(_ response: consuming Response) {
        self.init(
            status: response.status, headers: ResponseHeaders(block: response.headers.bytes), body: response.body,
            isComplete: response.isComplete)
    }
}

extension PushNotification {
    /// The apns-id, if the caller gave one.
    var callerID: APNSID? {
        if case .fixed(let id) = apnsID { id } else { nil }
    }
}
