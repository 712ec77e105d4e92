/// A request as the server received it.
package struct Request: Sendable, Hashable {
    package var stream: StreamID
    package var headers: HeaderBlock
    /// False if fields beyond the bound were left out.
    package var hasAllHeaders: Bool
    /// The body, up to the bound.
    package var body: [UInt8]
    /// Bytes of the body that arrived, those beyond the bound included.
    package var bodyLength: Int

    /// Whether the body exceeds what was kept.
    package var isTruncated: Bool { bodyLength > body.count }
}
