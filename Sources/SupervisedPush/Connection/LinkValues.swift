import PushHTTP2
import PushTransport

/// The state of one link that header fields depend on.
struct LinkHeaders {
    /// The names that its table already contains.
    var indexed = IndexedNames()
    /// The provider token it uses; nil with a certificate.
    var token: LinkToken?
}

/// Which of the names that are indexed once per link have been indexed.
struct IndexedNames: Equatable {
    private var seen: UInt8 = 0

    /// True the first time it is called for a name.
    mutating func insertFirst(_ name: StaticString) -> Bool {
        // One bit each, distinguished by their lengths: apns-id (7), apns-expiration (15), apns-collapse-id (16).
        let bit = UInt8(1) << ((name.utf8CodeUnitCount >> 2))
        defer { seen |= bit }
        return seen & bit == 0
    }
}

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

    static func text(_ code: HTTP2ErrorCode, _ data: [UInt8]) -> String? {
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
        self.init(layer, error.sentence, refusesCertificate: error.code == .certificateRefused)
    }
}

extension PushResponse {
    /// The answer of APNs, as the session received it.
    init(_ response: Response) {
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
