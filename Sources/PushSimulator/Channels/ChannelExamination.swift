/// The state of the checks of one request about channels.
struct ChannelExamination {
    let request: ChannelRequest
    let action: ChannelAction?
    /// The part that is checked as in a device push.
    var push: Examination

    /// Set by the check that determines it.
    var channel: ChannelRegistry.Channel?
    var creation: ChannelCreation?
    var reply = ChannelReply()

    init(_ request: ChannelRequest, _ push: Examination) {
        self.request = request
        self.push = push
        action = request.action(push.request.method)
    }

    var bundleID: String { request.bundleID.text }
    var channels: ChannelRegistry { push.policy.channels }
    var environment: SimulatedEnvironment { push.policy.environment }

    /// What the registry knows about the channel in the request.
    var state: ChannelRegistry.State {
        guard let id = request.channelID, ChannelRequest.isChannelID(id) else { return .unknown }
        return channels.state(of: id.text, bundleID, environment)
    }
}

/// What the answer to a successful request about channels contains beyond that to a push.
struct ChannelReply: Equatable {
    var status = 200
    /// `apns-channel-id`, for a created channel.
    var channelID: String?
    /// JSON, or empty.
    var body: [UInt8] = []
}
