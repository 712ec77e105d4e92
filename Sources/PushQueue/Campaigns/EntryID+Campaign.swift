import CPushOpenSSL

extension EntryID {
    /// The id of an entry of a campaign: the same, whoever puts it in and how often.
    ///
    /// - Parameters:
    ///   - campaign: The campaign.
    ///   - round: 0 for the first time, then the number of the redo.
    ///   - line: The line of the entry's first token in the input.
    public init(campaign: CampaignName, round: Int, line: Int) {
        let text = Array("campaign \(campaign) \(round) \(line)".utf8)
        var digest = [UInt8](repeating: 0, count: 32)
        // SHA-256 of a text of this length cannot fail.
        EVP_Digest(text, text.count, &digest, nil, EVP_sha256(), nil)
        func half(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(high: half(digest[0..<8]), low: half(digest[8..<16]))
    }
}
