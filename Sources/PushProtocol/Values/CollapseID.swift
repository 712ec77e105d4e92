/// The header `apns-collapse-id`: a later push with the same id replaces the earlier one on the device.
public struct CollapseID: Hashable, Sendable, CustomStringConvertible {
    /// The largest length in bytes of UTF-8.
    public static let maxBytes = 64

    /// The id, as it is sent.
    public let text: String

    /// Creates an id from 1 to 64 bytes of UTF-8, without control characters, and without a space at either end.
    ///
    /// - Parameters:
    ///   - text: The id.
    ///   - maxBytes: Another limit, in case APNs changes its own; at most 512.
    /// - Throws: `InvalidPush` with the code `.collapseIDTooLong` or `.invalidCollapseID`.
    public init(_ text: some StringProtocol, maxBytes: Int = CollapseID.maxBytes) throws(InvalidPush) {
        var text = String(text)
        text.makeContiguousUTF8()
        let length = text.utf8.count
        let limit = min(maxBytes, 512)
        if length > limit { throw InvalidPush(.collapseIDTooLong, bytes: length, limit: limit) }
        guard HeaderRules.isFieldValue(text) else { throw InvalidPush(.invalidCollapseID) }
        self.text = text
    }

    /// The id.
    public var description: String { text }
}
