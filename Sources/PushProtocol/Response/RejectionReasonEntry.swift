/// What is known about one reason.
struct RejectionReasonEntry: Sendable {
    let reason: RejectionReason
    let status: Int
    let judges: PushResponse.Subject
    let advice: RejectionAdvice
    let meaning: String
    let remedy: String

    init(
        _ reason: RejectionReason, _ status: Int, judges: PushResponse.Subject, _ advice: RejectionAdvice,
        _ meaning: String, _ remedy: String
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
            .badCollapseID, 400, judges: .push, .fixRequest,
            "The collapse id is longer than 64 bytes.",
            "Shorten or hash the collapse id."),
        .init(
            .badDeviceToken, 400, judges: .device, .dropToken,
            "The device token is malformed, unknown, or of the other environment.",
            "Check that the environment is the one the app was signed for; if it is, remove the device token."),
        .init(
            .badExpirationDate, 400, judges: .push, .fixRequest,
            "The expiration is not a time that APNs accepts.",
            "Use seconds since 1970 UTC, or 0; a channel that stores nothing accepts only 0."),
        .init(
            .badMessageID, 400, judges: .push, .fixRequest,
            "The apns-id is not a UUID.",
            "Use a UUID, or let the library make the id."),
        .init(
            .badPriority, 400, judges: .push, .fixRequest,
            "The priority is not 1, 5 or 10, or not permitted for the push type.",
            "Use 10, 5 or 1; background pushes allow only 5."),
        .init(
            .badTopic, 400, judges: .sender, .fixRequest,
            "The topic is not valid.",
            "Use the app's bundle id with the suffix of the push type."),
        .init(
            .deviceTokenNotForTopic, 400, judges: .device, .dropToken,
            "The device token belongs to a different app than the topic.",
            "Remove the device token for this topic; it came from another app or bundle id."),
        .init(
            .duplicateHeaders, 400, judges: .push, .fixRequest,
            "A header field occurs twice.",
            "This library never sends a field twice; check for a proxy between it and APNs."),
        .init(
            .idleTimeout, 400, judges: .service, .reconnect,
            "The stream or the connection was idle for too long.",
            "Send it again over a new connection."),
        .init(
            .invalidPushType, 400, judges: .push, .fixRequest,
            "APNs does not know the push type.",
            "Use one of the known push types."),
        .init(
            .missingDeviceToken, 400, judges: .push, .fixRequest,
            "The path contains no device token.",
            "Give the device token."),
        .init(
            .missingTopic, 400, judges: .sender, .fixRequest,
            "The topic is missing, and the credential does not imply one.",
            "Set the topic, for the push or in the connection's defaults."),
        .init(
            .payloadEmpty, 400, judges: .push, .fixRequest,
            "There is no payload.",
            "Use a JSON object."),
        .init(
            .topicDisallowed, 400, judges: .sender, .fixCredential,
            "The credential may not push to this topic.",
            "Use a key or certificate that covers the topic, or correct the topic."),
        .init(
            .badCertificate, 403, judges: .sender, .fixCredential,
            "APNs does not accept the certificate.",
            "Get a valid push certificate and replace the credential."),
        .init(
            .badCertificateEnvironment, 403, judges: .sender, .fixCredential,
            "The certificate is for the other environment.",
            "Connect to the environment the certificate was made for, or replace the certificate."),
        .init(
            .expiredProviderToken, 403, judges: .sender, .renewToken,
            "The provider token is older than an hour.",
            "Send it again with a new provider token; if that is refused too, check this machine's clock."),
        .init(
            .forbidden, 403, judges: .sender, .fixCredential,
            "The action is not permitted.",
            "Check what the credential is permitted to do; do not send the push again unchanged."),
        .init(
            .invalidProviderToken, 403, judges: .sender, .fixCredential,
            "The provider token is wrong: its signature, key id or team, or it was sent on another team's connection.",
            "Check that the key, the key id and the team id belong together; use one connection per team."),
        .init(
            .missingProviderToken, 403, judges: .sender, .fixCredential,
            "There was neither a certificate nor a provider token.",
            "Configure a credential."),
        .init(
            .unrelatedKeyIDInToken, 403, judges: .sender, .reconnect,
            "The key of the provider token is not related to the key of the connection's first push.",
            "Send it again over a connection that uses only this key."),
        .init(
            .badEnvironmentKeyIDInToken, 403, judges: .sender, .fixCredential,
            "The key is limited to the other environment.",
            "Connect to the environment the key was made for, or use another key."),
        .init(
            .badEnvironmentKeyInToken, 403, judges: .sender, .fixCredential,
            "The key is limited to the other environment.",
            "Connect to the environment the key was made for, or use another key."),
        .init(
            .badPath, 404, judges: .sender, .fixRequest,
            "APNs does not know the path.",
            "Check host and port: they may belong to another service."),
        .init(
            .methodNotAllowed, 405, judges: .sender, .fixRequest,
            "The method was not POST.",
            "Check for a proxy between this library and APNs."),
        .init(
            .expiredToken, 410, judges: .device, .dropToken,
            "The device token has expired.",
            "Remove the device token, unless it was registered again after the time that APNs sent."),
        .init(
            .unregistered, 410, judges: .device, .dropToken,
            "The device token is no longer active for the topic: the app was removed.",
            "Remove the device token, unless it was registered again after the time that APNs sent."),
        .init(
            .payloadTooLarge, 413, judges: .push, .fixRequest,
            "The payload exceeds the limit of its push type.",
            "Shorten the payload to 4096 bytes, 5120 for voip and broadcast."),
        .init(
            .tooManyProviderTokenUpdates, 429, judges: .sender, .wait,
            "The provider token changed more often than once in 20 minutes.",
            "Keep the current provider token, make no new one for 20 minutes, and share one token per key."),
        .init(
            .tooManyRequests, 429, judges: .device, .wait,
            "Too many pushes in a row to one device token.",
            "Wait before the next push to this device; other devices are not affected."),
        .init(
            .internalServerError, 500, judges: .service, .wait,
            "APNs had an internal error.",
            "Send it again later, with increasing delays."),
        .init(
            .serviceUnavailable, 503, judges: .service, .wait,
            "APNs is not available.",
            "Send it again later, with increasing delays, over a new connection."),
        .init(
            .shutdown, 503, judges: .service, .reconnect,
            "This server of APNs is about to stop.",
            "Send it again over a new connection."),

        .init(
            .featureNotEnabled, 400, judges: .sender, .fixCredential,
            "Broadcast is not enabled for the app.",
            "Enable the broadcast capability for the app id in the developer portal."),
        .init(
            .broadcastFeatureNotEnabled, 400, judges: .sender, .fixCredential,
            "Broadcast is not enabled for the app.",
            "Enable the broadcast capability for the app id in the developer portal."),
        .init(
            .missingChannelID, 400, judges: .push, .fixRequest,
            "The channel id is missing.",
            "Set the channel id."),
        .init(
            .badChannelID, 400, judges: .push, .forgetChannel,
            "The channel id is malformed or never existed.",
            "Remove the channel from your records; check that it belongs to this environment."),
        .init(
            .channelNotRegistered, 400, judges: .push, .forgetChannel,
            "The channel was deleted or does not exist.",
            "Remove the channel from your records and create a new one."),
        .init(
            .badRequestParameters, 400, judges: .push, .fixRequest,
            "The parameters of the request are not valid.",
            "Correct the request."),
        .init(
            .badRequestPayload, 400, judges: .push, .fixRequest,
            "The body of the request is not valid.",
            "Correct the body."),
        .init(
            .missingPushType, 400, judges: .push, .fixRequest,
            "The push type is missing.",
            "Set the push type to liveactivity."),
        .init(
            .cannotCreateChannelConfiguration, 400, judges: .push, .fixRequest,
            "The app already has the maximum number of channels.",
            "Delete channels that are no longer used, then create the new one."),
        .init(
            .topicMismatch, 403, judges: .sender, .fixCredential,
            "The credential does not cover the bundle id of the path.",
            "Use a key or certificate that covers the bundle id, or correct the bundle id."),
    ]
}
