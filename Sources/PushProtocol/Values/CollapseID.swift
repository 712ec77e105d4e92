/// The header `apns-collapse-id`: a later push with the same id replaces the earlier one on the device.
public struct CollapseID: Hashable, Sendable, CustomStringConvertible {
    /// The largest length, in bytes of UTF-8.
    public static let maxBytes = 64

    /// The id, as it is sent.
    public let text: String

    /// Takes an id of 1 to 64 bytes of UTF-8, without control characters, without a space at either end.
    ///
    /// - Throws: `InvalidPush` with the code `.collapseIDTooLong` or `.invalidCollapseID`.
    public init(_ text: some StringProtocol) throws(InvalidPush) {
        var text = String(text)
        text.makeContiguousUTF8()
        let length = text.utf8.count
        if length > Self.maxBytes { throw InvalidPush(.collapseIDTooLong, bytes: length, limit: Self.maxBytes) }
        guard HeaderRules.isFieldValue(text) else { throw InvalidPush(.invalidCollapseID) }
        self.text = text
    }

    /// The id.
    public var description: String { text }
}
