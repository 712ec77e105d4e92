/// What becomes of a campaign in a queue, see ``PushQueueProducer/steer(_:campaign:)``.
public enum CampaignOrder: Sendable, Hashable {
    /// Take nothing of it until ``resume``.
    case pause
    /// Go on.
    case resume
    /// Remove what no worker has, and take nothing of it any more.
    case cancel
    /// Take at most this many tokens of it, all workers together. Nil: as many as there are.
    case rate(QueueRate?)
}
