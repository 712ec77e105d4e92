/// Why a request was refused: the `reason` strings of APNs for device pushes, broadcasts and channels, each with its
/// status.
///
/// The list is that of Apple's pages "Handling notification responses from APNs" and "Handling error responses from
/// Apple Push Notification service". The raw value is the string on the wire.
@nonexhaustive public enum Refusal: String, Sendable, Hashable, CaseIterable {
    /// 400: `apns-collapse-id` is longer than 64 bytes.
    case badCollapseID = "BadCollapseId"
    /// 400: `apns-channel-id` is malformed, or the channel never existed.
    case badChannelID = "BadChannelId"
    /// 400: the device token is malformed, unknown, or of the other environment.
    case badDeviceToken = "BadDeviceToken"
    /// 400: `apns-expiration` is not a non-negative integer.
    case badExpirationDate = "BadExpirationDate"
    /// 400: `apns-id` (for a broadcast or a request about channels `apns-request-id`) is not a UUID.
    case badMessageID = "BadMessageId"
    /// 400: `apns-priority` is not 1, 5 or 10.
    case badPriority = "BadPriority"
    /// 400: a member of the JSON body is missing or invalid.
    case badRequestParams = "BadRequestParams"
    /// 400: the body is not a JSON object.
    case badRequestPayload = "BadRequestPayload"
    /// 400: `apns-topic` is malformed.
    case badTopic = "BadTopic"
    /// 400: the app does not have the broadcast capability. The servers use this spelling; Apple's page has
    /// ``featureNotEnabled``.
    case broadcastFeatureNotEnabled = "BroadcastFeatureNotEnabled"
    /// 400: the app already has the maximum number of channels.
    case cannotCreateChannelConfig = "CannotCreateChannelConfig"
    /// 400: the channel was deleted.
    case channelNotRegistered = "ChannelNotRegistered"
    /// 400: the device token belongs to a different topic.
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    /// 400: a known header occurred twice.
    case duplicateHeaders = "DuplicateHeaders"
    /// 400: the app does not have the broadcast capability, in the spelling of Apple's page. The simulator sends it
    /// only as a fault.
    case featureNotEnabled = "FeatureNotEnabled"
    /// 400: idle for too long.
    case idleTimeout = "IdleTimeout"
    /// 400: `apns-push-type` is unknown, or the topic ends with the suffix of another push type.
    case invalidPushType = "InvalidPushType"
    /// 400: `apns-channel-id` is missing but required.
    case missingChannelID = "MissingChannelId"
    /// 400: the storage policy of a new channel is missing or unknown. Apple's pages do not have this reason; the status
    /// is a guess.
    case missingChannelQueueSize = "MissingChannelQueueSize"
    /// 400: the path ends after `/3/device/`.
    case missingDeviceToken = "MissingDeviceToken"
    /// 400: `apns-push-type` is missing in a broadcast.
    case missingPushType = "MissingPushType"
    /// 400: `apns-topic` is missing but required.
    case missingTopic = "MissingTopic"
    /// 400: the body is empty.
    case payloadEmpty = "PayloadEmpty"
    /// 400: the credential may not push to this topic, or there is a topic in place of a bundle id.
    case topicDisallowed = "TopicDisallowed"
    /// 403: the client certificate is not acceptable.
    case badCertificate = "BadCertificate"
    /// 403: the client certificate is for the other environment.
    case badCertificateEnvironment = "BadCertificateEnvironment"
    /// 403: the provider token is older than an hour.
    case expiredProviderToken = "ExpiredProviderToken"
    /// 403: the action is not allowed.
    case forbidden = "Forbidden"
    /// 403: the provider token is malformed, has a wrong signature, or belongs to an unknown key or another team.
    case invalidProviderToken = "InvalidProviderToken"
    /// 403: there is neither a client certificate nor a provider token.
    case missingProviderToken = "MissingProviderToken"
    /// 403: the credential does not cover the bundle id in the path.
    case topicMismatch = "TopicMismatch"
    /// 403: the key is not related to that of the connection's first push.
    case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"
    /// 403: the key is limited to the other environment. The servers use this spelling, Apple's page does not.
    case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
    /// 404: the path is unknown, or the channel to delete does not exist.
    case badPath = "BadPath"
    /// 405: the path does not support this method. Device pushes and broadcasts support only POST.
    case methodNotAllowed = "MethodNotAllowed"
    /// 410: the device token has expired.
    case expiredToken = "ExpiredToken"
    /// 410: the device token is no longer active for the topic.
    case unregistered = "Unregistered"
    /// 413: the body exceeds the limit of its push type.
    case payloadTooLarge = "PayloadTooLarge"
    /// 429: the provider token of this connection changed too soon.
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    /// 429: too many pushes in a row to one device token.
    case tooManyRequests = "TooManyRequests"
    /// 500.
    case internalServerError = "InternalServerError"
    /// 503.
    case serviceUnavailable = "ServiceUnavailable"
    /// 503: this server is shutting down.
    case shutdown = "Shutdown"

    /// The HTTP status for the reason.
    public var status: Int {
        switch self {
        case .badChannelID, .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority,
            .badRequestParams, .badRequestPayload, .badTopic, .broadcastFeatureNotEnabled, .cannotCreateChannelConfig,
            .channelNotRegistered, .deviceTokenNotForTopic, .duplicateHeaders, .featureNotEnabled, .idleTimeout,
            .invalidPushType, .missingChannelID, .missingChannelQueueSize, .missingDeviceToken, .missingPushType,
            .missingTopic, .payloadEmpty,
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

    /// The JSON body of the answer. `timestamp` is in milliseconds since 1970 and only for a 410.
    func body(timestamp: Int64?) -> [UInt8] {
        guard let timestamp else { return Self.bodies[self] ?? [] }
        return Array(#"{"reason":"\#(rawValue)","timestamp":\#(timestamp)}"#.utf8)
    }

    private static let bodies: [Refusal: [UInt8]] = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, Array(#"{"reason":"\#($0.rawValue)"}"#.utf8)) })
}
