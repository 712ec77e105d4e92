/// Every reason that Apple documents, and those that its servers were seen to send.
extension RejectionReason {
    // MARK: Device pushes

    /// 400. The collapse id is longer than 64 bytes.
    public static let badCollapseID = RejectionReason(rawValue: "BadCollapseId")
    /// 400. The device token is malformed, unknown, or of the other environment.
    public static let badDeviceToken = RejectionReason(rawValue: "BadDeviceToken")
    /// 400. The expiration is not a time that APNs accepts.
    public static let badExpirationDate = RejectionReason(rawValue: "BadExpirationDate")
    /// 400. The apns-id is not a UUID.
    public static let badMessageID = RejectionReason(rawValue: "BadMessageId")
    /// 400. The priority is not 1, 5 or 10, or not permitted for the push type.
    public static let badPriority = RejectionReason(rawValue: "BadPriority")
    /// 400. The topic is not valid.
    public static let badTopic = RejectionReason(rawValue: "BadTopic")
    /// 400. The device token belongs to a different app than the topic.
    public static let deviceTokenNotForTopic = RejectionReason(rawValue: "DeviceTokenNotForTopic")
    /// 400. A header field occurs twice.
    public static let duplicateHeaders = RejectionReason(rawValue: "DuplicateHeaders")
    /// 400. The stream or the connection was idle for too long.
    public static let idleTimeout = RejectionReason(rawValue: "IdleTimeout")
    /// 400. APNs does not know the push type, or it does not fit the topic.
    public static let invalidPushType = RejectionReason(rawValue: "InvalidPushType")
    /// 400. The path contains no device token.
    public static let missingDeviceToken = RejectionReason(rawValue: "MissingDeviceToken")
    /// 400. The topic is missing, and the credential does not imply one.
    public static let missingTopic = RejectionReason(rawValue: "MissingTopic")
    /// 400. There is no payload.
    public static let payloadEmpty = RejectionReason(rawValue: "PayloadEmpty")
    /// 400. The credential may not push to this topic.
    public static let topicDisallowed = RejectionReason(rawValue: "TopicDisallowed")
    /// 403. APNs does not accept the certificate.
    public static let badCertificate = RejectionReason(rawValue: "BadCertificate")
    /// 403. The certificate is for the other environment.
    public static let badCertificateEnvironment = RejectionReason(rawValue: "BadCertificateEnvironment")
    /// 403. The provider token is older than an hour.
    public static let expiredProviderToken = RejectionReason(rawValue: "ExpiredProviderToken")
    /// 403. The action is not permitted.
    public static let forbidden = RejectionReason(rawValue: "Forbidden")
    /// 403. The provider token is wrong: its signature, key id or team, or it was sent on another team's connection.
    public static let invalidProviderToken = RejectionReason(rawValue: "InvalidProviderToken")
    /// 403. There was neither a certificate nor a provider token.
    public static let missingProviderToken = RejectionReason(rawValue: "MissingProviderToken")
    /// 403. The key of the provider token is not related to the key of the connection's first push.
    public static let unrelatedKeyIDInToken = RejectionReason(rawValue: "UnrelatedKeyIdInToken")
    /// 403. The key is limited to the other environment.
    public static let badEnvironmentKeyIDInToken = RejectionReason(rawValue: "BadEnvironmentKeyIdInToken")
    /// 403. The key is limited to the other environment.
    public static let badEnvironmentKeyInToken = RejectionReason(rawValue: "BadEnvironmentKeyInToken")
    /// 404. APNs does not know the path.
    public static let badPath = RejectionReason(rawValue: "BadPath")
    /// 405. The method was not POST.
    public static let methodNotAllowed = RejectionReason(rawValue: "MethodNotAllowed")
    /// 410. The device token has expired.
    public static let expiredToken = RejectionReason(rawValue: "ExpiredToken")
    /// 410. The device token is no longer active for the topic: the app was removed.
    public static let unregistered = RejectionReason(rawValue: "Unregistered")
    /// 413. The payload exceeds the limit of its push type.
    public static let payloadTooLarge = RejectionReason(rawValue: "PayloadTooLarge")
    /// 429. The provider token changed more often than once in 20 minutes.
    public static let tooManyProviderTokenUpdates = RejectionReason(rawValue: "TooManyProviderTokenUpdates")
    /// 429. Too many pushes in a row to one device token.
    public static let tooManyRequests = RejectionReason(rawValue: "TooManyRequests")
    /// 500. APNs had an internal error.
    public static let internalServerError = RejectionReason(rawValue: "InternalServerError")
    /// 503. APNs is not available.
    public static let serviceUnavailable = RejectionReason(rawValue: "ServiceUnavailable")
    /// 503. This server of APNs is about to stop.
    public static let shutdown = RejectionReason(rawValue: "Shutdown")
    // MARK: Broadcast and channels

    /// 400. Broadcast is not enabled for the app.
    public static let featureNotEnabled = RejectionReason(rawValue: "FeatureNotEnabled")
    /// 400. Broadcast is not enabled for the app.
    public static let broadcastFeatureNotEnabled = RejectionReason(rawValue: "BroadcastFeatureNotEnabled")
    /// 400. The channel id is missing.
    public static let missingChannelID = RejectionReason(rawValue: "MissingChannelId")
    /// 400. The channel id is malformed or never existed.
    public static let badChannelID = RejectionReason(rawValue: "BadChannelId")
    /// 400. The channel was deleted or does not exist.
    public static let channelNotRegistered = RejectionReason(rawValue: "ChannelNotRegistered")
    /// 400. The parameters of the request are not valid.
    public static let badRequestParameters = RejectionReason(rawValue: "BadRequestParams")
    /// 400. The body of the request is not valid.
    public static let badRequestPayload = RejectionReason(rawValue: "BadRequestPayload")
    /// 400. The storage policy of a new channel is missing, or not 0 or 1. Apple's pages do not have this reason; its
    /// status is not known.
    public static let missingChannelQueueSize = RejectionReason(rawValue: "MissingChannelQueueSize")
    /// 400. The push type is missing.
    public static let missingPushType = RejectionReason(rawValue: "MissingPushType")
    /// 400. The app already has the maximum number of channels.
    public static let cannotCreateChannelConfiguration = RejectionReason(rawValue: "CannotCreateChannelConfig")
    /// 403. The credential does not cover the bundle id of the path.
    public static let topicMismatch = RejectionReason(rawValue: "TopicMismatch")
}
