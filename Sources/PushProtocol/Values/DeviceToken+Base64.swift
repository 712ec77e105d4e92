import FoundationEssentials

extension DeviceToken {
    /// Takes a token as base64 data, the form in which MDM check-in messages have it.
    ///
    /// - Parameter base64: standard base64 with its padding; white space and line breaks, as property lists have them, are skipped.
    /// - Throws: `InvalidDeviceToken`.
    public init(base64: some StringProtocol) throws(InvalidDeviceToken) {
        let digits = base64.filter { !$0.isWhitespace }
        guard let data = Data(base64Encoded: String(digits)) else { throw InvalidDeviceToken(.notBase64) }
        try self.init(bytes: data)
    }
}
