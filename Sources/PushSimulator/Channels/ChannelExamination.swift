/// A request about channels under examination.
struct ChannelExamination {
    let request: ChannelRequest
    let action: ChannelAction?
    /// What is examined as in a device push.
    var push: Examination

    /// Set on the way, by the check that finds it out.
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

    /// What the registry knows of the channel that the request names.
    var state: ChannelRegistry.State {
        guard let id = request.channelID, ChannelRequest.isChannelID(id) else { return .unknown }
        return channels.state(of: id.text, bundleID, environment)
    }
}
