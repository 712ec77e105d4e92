/// Who makes the `apns-id` of a push.
public enum APNSIDPolicy: Hashable, Sendable {
    /// The runtime makes a random one for each push: known before the answer, kept on every resend. The default.
    case generated
    /// None is sent; APNs makes one and tells it in its answer. Spares some 30 bytes a push.
    case byServer
    /// This one is sent. Feedback about the push then names it as its subject.
    case fixed(APNSID)

    /// The id to send, nil for none; `generate` is called only if one has to be made.
    @inlinable
    package func resolve(generate: () -> APNSID) -> APNSID? {
        switch self {
        case .generated: generate()
        case .byServer: nil
        case .fixed(let id): id
        }
    }
}
