/// How an attempt ended unknown before the push was resent. One byte, for the push's entry.
enum UnknownAttempt: UInt8, Sendable {
    case connectionLost
    case streamReset
    case badResponse

    init(_ code: PushError.Code) {
        switch code {
        case .streamReset: self = .streamReset
        case .badResponse: self = .badResponse
        default: self = .connectionLost
        }
    }

    var code: PushError.Code {
        switch self {
        case .connectionLost: .connectionLost
        case .streamReset: .streamReset
        case .badResponse: .badResponse
        }
    }
}
