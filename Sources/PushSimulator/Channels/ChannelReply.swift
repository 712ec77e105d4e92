/// What an answer to a request about channels says beyond a push's, if nothing objects.
struct ChannelReply: Equatable {
    var status = 200
    /// `apns-channel-id`, of a channel that was made.
    var channelID: String?
    /// JSON, or nothing.
    var body: [UInt8] = []
}
