/// Why a push was refused: the `reason` strings of APNs' device push interface, each with its status.
///
/// The list is the one of Apple's page "Handling notification responses from APNs". The raw value is the string on the wire.
public enum Refusal: String, Sendable, Hashable, CaseIterable {
    /// 400: `apns-collapse-id` is longer than 64 bytes.
    case badCollapseID = "BadCollapseId"
    /// 400: the device token is malformed, unknown, or of the other environment.
    case badDeviceToken = "BadDeviceToken"
    /// 400: `apns-expiration` is not a non-negative integer.
    case badExpirationDate = "BadExpirationDate"
    /// 400: `apns-id` is not a UUID.
    case badMessageID = "BadMessageId"
    /// 400: `apns-priority` is none of 1, 5, 10.
    case badPriority = "BadPriority"
    /// 400: `apns-topic` is malformed.
    case badTopic = "BadTopic"
    /// 400: the device token belongs to another topic.
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    /// 400: a known header came twice.
    case duplicateHeaders = "DuplicateHeaders"
    /// 400: idle for too long.
    case idleTimeout = "IdleTimeout"
    /// 400: `apns-push-type` is none of the known ones.
    case invalidPushType = "InvalidPushType"
    /// 400: the path ends after `/3/device/`.
    case missingDeviceToken = "MissingDeviceToken"
    /// 400: `apns-topic` is absent where it is needed.
    case missingTopic = "MissingTopic"
    /// 400: there is no body.
    case payloadEmpty = "PayloadEmpty"
    /// 400: the credential may not push to this topic.
    case topicDisallowed = "TopicDisallowed"
    /// 403: the client certificate is not acceptable.
    case badCertificate = "BadCertificate"
    /// 403: the client certificate belongs to the other environment.
    case badCertificateEnvironment = "BadCertificateEnvironment"
    /// 403: the provider token is older than an hour.
    case expiredProviderToken = "ExpiredProviderToken"
    /// 403: the action is not allowed.
    case forbidden = "Forbidden"
    /// 403: the provider token is malformed, wrongly signed, or of an unknown key or another team.
    case invalidProviderToken = "InvalidProviderToken"
    /// 403: neither a client certificate nor a provider token.
    case missingProviderToken = "MissingProviderToken"
    /// 403: the key is not related to the one of the connection's first push.
    case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"
    /// 403: the key is limited to the other environment. The spelling is that of the servers, not of the page.
    case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
    /// 404: unknown path.
    case badPath = "BadPath"
    /// 405: the method is not POST.
    case methodNotAllowed = "MethodNotAllowed"
    /// 410: the device token has expired.
    case expiredToken = "ExpiredToken"
    /// 410: the device token is no longer active for the topic.
    case unregistered = "Unregistered"
    /// 413: the body is over the limit of its push type.
    case payloadTooLarge = "PayloadTooLarge"
    /// 429: the provider token changed too soon on this connection.
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    /// 429: too many pushes in a row to one device token.
    case tooManyRequests = "TooManyRequests"
    /// 500.
    case internalServerError = "InternalServerError"
    /// 503.
    case serviceUnavailable = "ServiceUnavailable"
    /// 503: this server goes away.
    case shutdown = "Shutdown"

    /// The HTTP status that goes with the reason.
    public var status: Int {
        switch self {
        case .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority, .badTopic,
            .deviceTokenNotForTopic, .duplicateHeaders, .idleTimeout, .invalidPushType, .missingDeviceToken,
            .missingTopic, .payloadEmpty, .topicDisallowed:
            400
        case .badCertificate, .badCertificateEnvironment, .expiredProviderToken, .forbidden, .invalidProviderToken,
            .missingProviderToken, .unrelatedKeyIDInToken, .badEnvironmentKeyInToken:
            403
        case .badPath: 404
        case .methodNotAllowed: 405
        case .expiredToken, .unregistered: 410
        case .payloadTooLarge: 413
        case .tooManyProviderTokenUpdates, .tooManyRequests: 429
        case .internalServerError: 500
        case .serviceUnavailable, .shutdown: 503
        }
    }

    /// The JSON body of the answer; `timestamp` is in milliseconds since 1970 and comes with a 410 only.
    func body(timestamp: Int64?) -> [UInt8] {
        guard let timestamp else { return Self.bodies[self] ?? [] }
        return Array(#"{"reason":"\#(rawValue)","timestamp":\#(timestamp)}"#.utf8)
    }

    private static let bodies: [Refusal: [UInt8]] = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, Array(#"{"reason":"\#($0.rawValue)"}"#.utf8)) })
}
