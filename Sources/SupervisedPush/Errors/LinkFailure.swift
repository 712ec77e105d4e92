/// Why a link to APNs broke or never came up. It ends no connection: the connection dials again.
public struct LinkFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The layer that failed.
    public let layer: ErrorLayer
    /// What happened, in a sentence.
    public let description: String

    /// Makes one from its layer and sentence.
    init(_ layer: ErrorLayer, _ description: String) {
        self.layer = layer
        self.description = description
    }
}
