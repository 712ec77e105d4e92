import ProcessRuntime

/// Looking at what a push would send.
extension PushRuntime {
    /// The request that a push over this connection or pool would send, checked as the push would be. Nothing is sent, and no provider
    /// token is made or shown.
    ///
    /// - Parameters:
    ///   - name: the connection or pool; it need not be up.
    ///   - notification: what to look at.
    ///   - deviceToken: where it would go.
    /// - Throws: ``PushError``, as the push would throw it at the call: an unknown name, or what APNs would refuse.
    public func request(
        name: String, _ notification: PushNotification, to deviceToken: DeviceToken
    ) throws(PushError) -> PreparedRequest {
        try request(.name(name), notification, .device(deviceToken))
    }

    /// The request that a push over the connection or pool of this pid would send; see `request(name:_:to:)`.
    public func request(
        _ pid: ProcessID, _ notification: PushNotification, to deviceToken: DeviceToken
    ) throws(PushError) -> PreparedRequest {
        try request(.pid(pid), notification, .device(deviceToken))
    }

    /// The request that a broadcast over this connection or pool would send; see `request(name:_:to:)` and
    /// `broadcast(name:_:to:bundleID:context:options:)`.
    public func request(
        name: String, _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil
    ) throws(PushError) -> PreparedRequest {
        try request(.name(name), notification, .channel(channel, bundleID: bundleID))
    }

    /// The request that a broadcast over the connection or pool of this pid would send; see `request(name:_:to:)`.
    public func request(
        _ pid: ProcessID, _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil
    ) throws(PushError) -> PreparedRequest {
        try request(.pid(pid), notification, .channel(channel, bundleID: bundleID))
    }

    private func request(
        _ target: PushTarget, _ notification: PushNotification, _ address: RequestAddress
    ) throws(PushError) -> PreparedRequest {
        let destination = try directory.destination(target)
        return try destination.config.request(notification, address, with: destination.credentials.current)
    }
}

/// Where a request would go.
package enum RequestAddress: Sendable {
    case device(DeviceToken)
    case channel(ChannelID, bundleID: String?)
}

extension ConnectionConfig {
    /// The request that a connection of this configuration would send. The credential is read and checked as `connect` does it; no network
    /// is needed.
    ///
    /// - Throws: ``ConnectError`` for the configuration, ``PushError`` for the push.
    package func request(_ notification: PushNotification, _ address: RequestAddress) throws -> PreparedRequest {
        let config = try settled()
        let credential = try CredentialReader(time: SystemTime()).resolve(config)
        return try config.request(notification, address, with: credential)
    }

    fileprivate func request(
        _ notification: PushNotification, _ address: RequestAddress, with credential: ResolvedCredential
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
            let route = RequestRoute.broadcast(channel, bundleID ?? defaults.topic?.rawValue ?? "")
            head = RequestHead(HeadTemplate(notification, for: route), apnsID: id)
            makesID = isMade
        }
        // Two attempts that may both be processed have to bear one id.
        makesID = makesID || (head.apnsID == nil && resend == .resendUnknown)
        try check(
            head, notification.payload, requiresTopic: credential.requiresTopic, credential.topics,
            isCertificate: credential.isCertificate, nil)
        return PreparedRequest(
            head, notification.payload, authority: authority, showsToken: !credential.isCertificate, makesID: makesID)
    }
}
