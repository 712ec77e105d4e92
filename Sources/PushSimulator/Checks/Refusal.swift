/// Why a request was refused: the `reason` strings of APNs' interfaces for device pushes, broadcasts and channels, each with its status.
///
/// The list is the one of Apple's pages "Handling notification responses from APNs" and "Handling error responses from Apple Push Notification
/// service". The raw value is the string on the wire.
public enum Refusal: String, Sendable, Hashable, CaseIterable {
    /// 400: `apns-collapse-id` is longer than 64 bytes.
    case badCollapseID = "BadCollapseId"
    /// 400: `apns-channel-id` is malformed, or there never was such a channel.
    case badChannelID = "BadChannelId"
    /// 400: the device token is malformed, unknown, or of the other environment.
    case badDeviceToken = "BadDeviceToken"
    /// 400: `apns-expiration` is not a non-negative integer.
    case badExpirationDate = "BadExpirationDate"
    /// 400: `apns-id`, or of a broadcast or a request about channels `apns-request-id`, is not a UUID.
    case badMessageID = "BadMessageId"
    /// 400: `apns-priority` is none of 1, 5, 10.
    case badPriority = "BadPriority"
    /// 400: a member of the JSON body is missing or has no good value.
    case badRequestParams = "BadRequestParams"
    /// 400: the body is no JSON object.
    case badRequestPayload = "BadRequestPayload"
    /// 400: `apns-topic` is malformed.
    case badTopic = "BadTopic"
    /// 400: the app has no broadcast capability. The spelling is that of the servers; Apple's page has ``featureNotEnabled``.
    case broadcastFeatureNotEnabled = "BroadcastFeatureNotEnabled"
    /// 400: the app has as many channels as it may have.
    case cannotCreateChannelConfig = "CannotCreateChannelConfig"
    /// 400: the channel was deleted.
    case channelNotRegistered = "ChannelNotRegistered"
    /// 400: the device token belongs to another topic.
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    /// 400: a known header came twice.
    case duplicateHeaders = "DuplicateHeaders"
    /// 400: the app has no broadcast capability, as Apple's page spells it. The simulator gives it as a fault only.
    case featureNotEnabled = "FeatureNotEnabled"
    /// 400: idle for too long.
    case idleTimeout = "IdleTimeout"
    /// 400: `apns-push-type` is none of the known ones.
    case invalidPushType = "InvalidPushType"
    /// 400: `apns-channel-id` is absent where it is needed.
    case missingChannelID = "MissingChannelId"
    /// 400: the path ends after `/3/device/`.
    case missingDeviceToken = "MissingDeviceToken"
    /// 400: `apns-push-type` is absent from a broadcast.
    case missingPushType = "MissingPushType"
    /// 400: `apns-topic` is absent where it is needed.
    case missingTopic = "MissingTopic"
    /// 400: there is no body.
    case payloadEmpty = "PayloadEmpty"
    /// 400: the credential may not push to this topic, or a topic stands where a bundle id belongs.
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
    /// 403: the credential does not cover the bundle id in the path.
    case topicMismatch = "TopicMismatch"
    /// 403: the key is not related to the one of the connection's first push.
    case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"
    /// 403: the key is limited to the other environment. The spelling is that of the servers, not of the page.
    case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
    /// 404: unknown path, or a channel to be deleted that is not there.
    case badPath = "BadPath"
    /// 405: the path does not have this method; device pushes and broadcasts only have POST.
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
        case .badChannelID, .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority,
            .badRequestParams, .badRequestPayload, .badTopic, .broadcastFeatureNotEnabled, .cannotCreateChannelConfig,
            .channelNotRegistered, .deviceTokenNotForTopic, .duplicateHeaders, .featureNotEnabled, .idleTimeout,
            .invalidPushType, .missingChannelID, .missingDeviceToken, .missingPushType, .missingTopic, .payloadEmpty,
            .topicDisallowed:
            400
        case .badCertificate, .badCertificateEnvironment, .expiredProviderToken, .forbidden, .invalidProviderToken,
            .missingProviderToken, .topicMismatch, .unrelatedKeyIDInToken, .badEnvironmentKeyInToken:
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
