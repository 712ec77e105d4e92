import ProcessRuntime

/// The target of a request.
package enum RequestAddress: Sendable {
    case device(DeviceToken)
    case channel(ChannelID, bundleID: String?)
}

extension PushConnection.Configuration {
    /// The request that a connection with this configuration would send. Reads and checks the credential as `connect`
    /// does; needs no network.
    ///
    /// - Throws: ``ConnectError`` for the configuration, ``PushError`` for the push.
    package func request(_ notification: PushNotification, to address: RequestAddress) throws -> PreparedRequest {
        let config = try validated()
        let credential = try CredentialReader(time: SystemTime()).resolve(config)
        return try config.request(notification, to: address, with: credential)
    }

    func request(
        _ notification: PushNotification, to address: RequestAddress, with credential: ResolvedCredential
    ) throws(PushError) -> PreparedRequest {
        let defaults = defaults(credential.topics)
        let head: RequestHead
        var makesID: Bool
        switch address {
        case .device(let token):
            let (id, isMade) = notification.shownID(defaults.apnsID)
            head = RequestHead(notification, to: token, defaults: defaults, apnsID: id)
            makesID = isMade
        case .channel(let channel, let bundleID):
            let (id, isMade) = notification.shownID(.generated)
            let route = RequestRoute.broadcast(channel, bundleID: bundleID ?? defaults.topic?.rawValue ?? "")
            head = RequestHead(HeadTemplate(notification, for: route), apnsID: id)
            makesID = isMade
        }
        // Two attempts that may both be processed must have the same id.
        makesID = makesID || (head.apnsID == nil && retry.resend == .resendUnknown)
        try check(
            head, payloadBytes: notification.payloadBytes, requiresTopic: credential.requiresTopic,
            topics: credential.topics,
            isCertificate: credential.isCertificate, pushID: nil)
        return PreparedRequest(
            head, payload: notification.payload, authority: authority, showsToken: !credential.isCertificate,
            makesID: makesID)
    }
}
