/// Managing the channels of an app.
extension PushRuntime {
    /// Starts a supervised connection to the host that manages the broadcast channels of the configuration's
    /// environment, and returns at once; the connection dials on its own.
    ///
    /// It uses the same credential as a connection with this configuration, and the same provider tokens: all
    /// connections of a team and key share one authority. The host is Apple's for the environment, with its own port
    /// (2196, in development 2195). If `config.host` is set, that host and `config.port` are used instead.
    ///
    /// - Parameters:
    ///   - bundleID: The app's bundle id, without a suffix. Nil, the default: the topic of the configuration's
    ///     defaults, otherwise the certificate's.
    ///   - config: The credential, environment, times and policies, as for `connect`. Its feedback handler, its order
    ///     and its port fallback are ignored.
    ///   - limit: How many channels the app may have in this environment. Default 10,000, Apple's limit.
    ///   - owner: Subscribed before the first dial.
    /// - Returns: An object that creates, reads, deletes and lists channels.
    /// - Throws: ``ConnectError``, as `connect` does, and for an invalid bundle id.
    public func channels(
        bundleID: String? = nil, config: PushConnection.Configuration, limit: Int = BroadcastChannels.appleLimit,
        owner: Mailbox<LifecycleMessage>? = nil
    ) throws(ConnectError) -> BroadcastChannels {
        let config = config.forManagement()
        let bundleID = if let bundleID { bundleID } else { try self.bundleID(config) }
        if let problem = RequestRoute.problem(with: bundleID) { throw ConnectError(.configuration, "\(problem).") }
        guard limit >= 1 else { throw ConnectError(.configuration, "limit is \(limit): it must be 1 or more.") }
        let entry = try start(nil, label: "channels", config: config, owner: owner, session: .management)
        return BroadcastChannels(
            bundleID, on: PushConnection(self, destination: entry), entrance: entry.entrance, limit: limit)
    }

    /// The app's bundle id, from the configuration or its certificate.
    private func bundleID(_ config: PushConnection.Configuration) throws(ConnectError) -> String {
        if let topic = config.defaults.topic { return topic.rawValue }
        return try credentialReader.resolve(config).topics?.standard?.rawValue ?? ""
    }
}
