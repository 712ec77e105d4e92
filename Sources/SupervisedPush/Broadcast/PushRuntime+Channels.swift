/// Managing the channels of an app.
extension PushRuntime {
    /// Starts a connection to the host that manages the broadcast channels of the configuration's environment, and
    /// returns at once; it dials by itself, and is supervised, as every connection.
    ///
    /// It shows the same credential as a connection with this configuration, and the same provider tokens: one
    /// authority serves all connections of a team and key. The host is Apple's for the environment, with its own port
    /// (2196, in development 2195), unless `config.host` names another; then `config.port` counts as it is.
    ///
    /// - Parameters:
    ///   - bundleID: The app's bundle id, without a suffix. nil, the default: the topic of the configuration's
    ///     defaults, else the certificate's.
    ///   - config: Credential, environment, times and policies, as for `connect`. Its feedback handler, its order and
    ///     its port fallback have no meaning here.
    ///   - limit: How many channels the app may have, in this environment. Default 10,000, as Apple has it.
    ///   - owner: Is subscribed before the first dial.
    /// - Returns: What creates, reads, deletes and lists channels.
    /// - Throws: ``ConnectError``, as `connect` does; for a bundle id that is none as well.
    public func channels(
        bundleID: String? = nil, config: ConnectionConfig, limit: Int = BroadcastChannels.appleLimit,
        owner: Mailbox<LifecycleMessage>? = nil
    ) throws(ConnectError) -> BroadcastChannels {
        let config = config.forManagement()
        let bundleID = if let bundleID { bundleID } else { try self.bundleID(config) }
        if let problem = RequestRoute.problem(with: bundleID) { throw ConnectError(.configuration, "\(problem).") }
        guard limit >= 1 else { throw ConnectError(.configuration, "limit is \(limit): it must be 1 or more.") }
        let entry = try start(nil, "channels", config, owner, session: .management)
        return BroadcastChannels(bundleID, PushConnection(self, entry), entry.entrance, limit: limit)
    }

    /// The app, as far as the configuration or its certificate say.
    private func bundleID(_ config: ConnectionConfig) throws(ConnectError) -> String {
        if let topic = config.defaults.topic { return topic.rawValue }
        return try credentialReader.resolve(config).topics?.standard?.rawValue ?? ""
    }
}
