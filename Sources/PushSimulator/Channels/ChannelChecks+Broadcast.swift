/// Rows 18 to 21 of a broadcast push: its headers.
extension ChannelChecks {
    static func pushTypePresent(_ examination: inout ChannelExamination, _: inout ConnectionFacts) -> Refusal? {
        examination.push.request.pushType?.isEmpty == false ? nil : .missingPushType
    }

    /// Compared without case, because Apple prints it in two ways.
    static func pushTypeKnown(_ examination: inout ChannelExamination, _: inout ConnectionFacts) -> Refusal? {
        examination.push.request.pushType?.text.lowercased() == "liveactivity" ? nil : .invalidPushType
    }

    /// Unlike for a device push, the header is required.
    static func priority(_ examination: inout ChannelExamination, _ facts: inout ConnectionFacts) -> Refusal? {
        guard examination.push.request.priority != nil else { return .badPriority }
        return RequestChecks.priority(&examination.push, &facts)
    }

    /// The header is required, and must be 0 if the channel stores nothing.
    static func expiration(_ examination: inout ChannelExamination, _ facts: inout ConnectionFacts) -> Refusal? {
        guard let value = examination.push.request.expiration else { return .badExpirationDate }
        if let refusal = RequestChecks.expiration(&examination.push, &facts) { return refusal }
        let isStored = examination.channel?.storagePolicy != .noStorage
        return isStored || Int64(value.text) == 0 ? nil : .badExpirationDate
    }
}
