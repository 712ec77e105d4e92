import FoundationEssentials

extension DeviceToken {
    /// Creates a token from base64, the form in MDM check-in messages.
    ///
    /// - Parameter base64: Standard base64 with padding. White space and line breaks, as in property lists, are
    ///   ignored.
    /// - Throws: `InvalidDeviceToken`.
    public init(base64: some StringProtocol) throws(InvalidDeviceToken) {
        let digits = base64.filter { !$0.isWhitespace }
        guard let data = Data(base64Encoded: String(digits)) else { throw InvalidDeviceToken(.notBase64) }
        try self.init(bytes: data)
    }
}
