/// What is known about one reason.
struct RejectionReasonEntry: Sendable {
    let reason: RejectionReason
    let status: Int
    let judges: PushResponse.Subject
    let advice: RejectionAdvice
    let meaning: String
    let remedy: String

    init(
        _ reason: RejectionReason, _ status: Int, judges: PushResponse.Subject, advice: RejectionAdvice,
        meaning: String, remedy: String
    ) {
        self.reason = reason
        self.status = status
        self.judges = judges
        self.advice = advice
        self.meaning = meaning
        self.remedy = remedy
    }

    static let byReason = Dictionary(table.map { ($0.reason, $0) }, uniquingKeysWith: { first, _ in first })

    /// The table of reasons: the reason, its usual status, what it judges, the advice, its meaning, what to do.
    static let table: [RejectionReasonEntry] = [
        .init(
            .badCollapseID, 400, judges: .push, advice: .fixRequest,
            meaning: "The collapse id is longer than 64 bytes.",
            remedy: "Shorten or hash the collapse id."),
        .init(
            .badDeviceToken, 400, judges: .device, advice: .dropToken,
            meaning: "The device token is malformed, unknown, or of the other environment.",
            remedy: "Check that the environment is the one the app was signed for; if it is, remove the device token."),
        .init(
            .badExpirationDate, 400, judges: .push, advice: .fixRequest,
            meaning: "The expiration is not a time that APNs accepts.",
            remedy: "Use seconds since 1970 UTC, or 0; a channel that stores nothing accepts only 0."),
        .init(
            .badMessageID, 400, judges: .push, advice: .fixRequest,
            meaning: "The apns-id is not a UUID.",
            remedy: "Use a UUID, or let the library make the id."),
        .init(
            .badPriority, 400, judges: .push, advice: .fixRequest,
            meaning: "The priority is not 1, 5 or 10, or not permitted for the push type.",
            remedy: "Use 10, 5 or 1; background pushes allow only 5."),
        .init(
            .badTopic, 400, judges: .sender, advice: .fixRequest,
            meaning: "The topic is not valid.",
            remedy: "Use the app's bundle id with the suffix of the push type."),
        .init(
            .deviceTokenNotForTopic, 400, judges: .device, advice: .dropToken,
            meaning: "The device token belongs to a different app than the topic.",
            remedy: "Remove the device token for this topic; it came from another app or bundle id."),
        .init(
            .duplicateHeaders, 400, judges: .push, advice: .fixRequest,
            meaning: "A header field occurs twice.",
            remedy: "This library never sends a field twice; check for a proxy between it and APNs."),
        .init(
            .idleTimeout, 400, judges: .service, advice: .reconnect,
            meaning: "The stream or the connection was idle for too long.",
            remedy: "Send it again over a new connection."),
        .init(
            .invalidPushType, 400, judges: .push, advice: .fixRequest,
            meaning: "APNs does not know the push type, or it does not fit the topic.",
            remedy: "Use one of the known push types, and the suffix of no other one in the topic."),
        .init(
            .missingDeviceToken, 400, judges: .push, advice: .fixRequest,
            meaning: "The path contains no device token.",
            remedy: "Give the device token."),
        .init(
            .missingTopic, 400, judges: .sender, advice: .fixRequest,
            meaning: "The topic is missing, and the credential does not imply one.",
            remedy: "Set the topic, for the push or in the connection's defaults."),
        .init(
            .payloadEmpty, 400, judges: .push, advice: .fixRequest,
            meaning: "There is no payload.",
            remedy: "Use a JSON object."),
        .init(
            .topicDisallowed, 400, judges: .sender, advice: .fixCredential,
            meaning: "The credential may not push to this topic.",
            remedy: "Use a key or certificate that covers the topic, or correct the topic. "
                + "If the team got the app a moment ago, connect again."),
        .init(
            .badCertificate, 403, judges: .sender, advice: .fixCredential,
            meaning: "APNs does not accept the certificate.",
            remedy: "Get a valid push certificate and replace the credential."),
        .init(
            .badCertificateEnvironment, 403, judges: .sender, advice: .fixCredential,
            meaning: "The certificate is for the other environment.",
            remedy: "Connect to the environment the certificate was made for, or replace the certificate."),
        .init(
            .expiredProviderToken, 403, judges: .sender, advice: .renewToken,
            meaning: "The provider token is older than an hour.",
            remedy: "Send it again with a new provider token; if that is refused too, check this machine's clock."),
        .init(
            .forbidden, 403, judges: .sender, advice: .fixCredential,
            meaning: "The action is not permitted.",
            remedy: "Check what the credential is permitted to do; do not send the push again unchanged."),
        .init(
            .invalidProviderToken, 403, judges: .sender, advice: .fixCredential,
            meaning: "The provider token is wrong: its signature, key id or team, "
                + "or it was sent on another team's connection.",
            remedy: "Check that the key, the key id and the team id belong together; use one connection per team."),
        .init(
            .missingProviderToken, 403, judges: .sender, advice: .fixCredential,
            meaning: "There was neither a certificate nor a provider token.",
            remedy: "Configure a credential."),
        .init(
            .unrelatedKeyIDInToken, 403, judges: .sender, advice: .reconnect,
            meaning: "The key of the provider token is not related to the key of the connection's first push.",
            remedy: "Send it again over a connection that uses only this key."),
        .init(
            .badEnvironmentKeyIDInToken, 403, judges: .sender, advice: .fixCredential,
            meaning: "The key is limited to the other environment.",
            remedy: "Connect to the environment the key was made for, or use another key."),
        .init(
            .badEnvironmentKeyInToken, 403, judges: .sender, advice: .fixCredential,
            meaning: "The key is limited to the other environment.",
            remedy: "Connect to the environment the key was made for, or use another key."),
        .init(
            .badPath, 404, judges: .sender, advice: .fixRequest,
            meaning: "APNs does not know the path.",
            remedy: "Check host and port: they may belong to another service."),
        .init(
            .methodNotAllowed, 405, judges: .sender, advice: .fixRequest,
            meaning: "The method was not POST.",
            remedy: "Check for a proxy between this library and APNs."),
        .init(
            .expiredToken, 410, judges: .device, advice: .dropToken,
            meaning: "The device token has expired.",
            remedy: "Remove the device token, unless it was registered again after the time that APNs sent."),
        .init(
            .unregistered, 410, judges: .device, advice: .dropToken,
            meaning: "The device token is no longer active for the topic: the app was removed.",
            remedy: "Remove the device token, unless it was registered again after the time that APNs sent."),
        .init(
            .payloadTooLarge, 413, judges: .push, advice: .fixRequest,
            meaning: "The payload exceeds the limit of its push type.",
            remedy: "Shorten the payload to 4096 bytes, 5120 for voip and broadcast."),
        .init(
            .tooManyProviderTokenUpdates, 429, judges: .sender, advice: .wait,
            meaning: "The provider token changed more often than once in 20 minutes.",
            remedy: "Keep the current provider token, make no new one for 20 minutes, and share one token per key."),
        .init(
            .tooManyRequests, 429, judges: .device, advice: .wait,
            meaning: "Too many pushes in a row to one device token.",
            remedy: "Wait before the next push to this device; other devices are not affected."),
        .init(
            .internalServerError, 500, judges: .service, advice: .wait,
            meaning: "APNs had an internal error.",
            remedy: "Send it again later, with increasing delays."),
        .init(
            .serviceUnavailable, 503, judges: .service, advice: .wait,
            meaning: "APNs is not available.",
            remedy: "Send it again later, with increasing delays, over a new connection."),
        .init(
            .shutdown, 503, judges: .service, advice: .reconnect,
            meaning: "This server of APNs is about to stop.",
            remedy: "Send it again over a new connection."),

        .init(
            .featureNotEnabled, 400, judges: .sender, advice: .fixCredential,
            meaning: "Broadcast is not enabled for the app.",
            remedy: "Enable the broadcast capability for the app id in the developer portal."),
        .init(
            .broadcastFeatureNotEnabled, 400, judges: .sender, advice: .fixCredential,
            meaning: "Broadcast is not enabled for the app.",
            remedy: "Enable the broadcast capability for the app id in the developer portal."),
        .init(
            .missingChannelID, 400, judges: .push, advice: .fixRequest,
            meaning: "The channel id is missing.",
            remedy: "Set the channel id."),
        .init(
            .badChannelID, 400, judges: .push, advice: .forgetChannel,
            meaning: "The channel id is malformed or never existed.",
            remedy: "Remove the channel from your records; check that it belongs to this environment."),
        .init(
            .channelNotRegistered, 400, judges: .push, advice: .forgetChannel,
            meaning: "The channel was deleted or does not exist.",
            remedy: "Remove the channel from your records and create a new one."),
        .init(
            .badRequestParameters, 400, judges: .push, advice: .fixRequest,
            meaning: "The parameters of the request are not valid.",
            remedy: "Correct the request."),
        .init(
            .badRequestPayload, 400, judges: .push, advice: .fixRequest,
            meaning: "The body of the request is not valid.",
            remedy: "Correct the body."),
        .init(
            .missingChannelQueueSize, 400, judges: .push, advice: .fixRequest,
            meaning: "The storage policy of the channel is missing or unknown.",
            remedy: "Give message-storage-policy: 0 to store nothing, 1 to store the latest message."),
        .init(
            .missingPushType, 400, judges: .push, advice: .fixRequest,
            meaning: "The push type is missing.",
            remedy: "Set the push type to liveactivity."),
        .init(
            .cannotCreateChannelConfiguration, 400, judges: .push, advice: .fixRequest,
            meaning: "The app already has the maximum number of channels.",
            remedy: "Delete channels that are no longer used, then create the new one."),
        .init(
            .topicMismatch, 403, judges: .sender, advice: .fixCredential,
            meaning: "The credential does not cover the bundle id of the path.",
            remedy: "Use a key or certificate that covers the bundle id, or correct the bundle id."),
    ]
}
