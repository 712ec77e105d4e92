/// The purpose of a request about broadcast channels.
public enum ChannelAction: String, Sendable, Hashable, CaseIterable {
    /// `POST /4/broadcasts/apps/<bundle id>` on the push port: a message to all subscribers of a channel.
    case broadcast
    /// `POST /1/apps/<bundle id>/channels` on the management port, like the following.
    case create
    /// `GET /1/apps/<bundle id>/channels`.
    case read
    /// `DELETE /1/apps/<bundle id>/channels`.
    case delete
    /// `GET /1/apps/<bundle id>/all-channels`.
    case list
}
