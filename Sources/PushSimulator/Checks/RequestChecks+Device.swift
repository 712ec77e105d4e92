import FoundationEssentials

/// Rows 22 to 27: the device token and the payload's size.
extension RequestChecks {
    static func deviceTokenPresent(_ examination: inout Examination, _: inout ConnectionFacts) -> Refusal? {
        examination.request.deviceToken?.isEmpty == true ? .missingDeviceToken : nil
    }

    /// 4,096 bytes, or 5,120 for VoIP. The body's JSON is not checked, because APNs' answer to malformed JSON is
    /// unknown.
    static func payloadSize(_ examination: inout Examination, _: inout ConnectionFacts) -> Refusal? {
        let request = examination.request
        guard request.bodyCount > 4096 else { return nil }
        let isVoIP = request.pushType?.equals("voip") == true || request.topic?.ends(with: ".voip") == true
        return isVoIP && request.bodyCount <= 5120 ? nil : .payloadTooLarge
    }

    static func deviceTokenKnown(_ examination: inout Examination, _: inout ConnectionFacts) -> Refusal? {
        guard let token = examination.request.deviceToken, HexDigits.isDeviceToken(token) else {
            return .badDeviceToken
        }
        let state = examination.policy.devices.state(of: token)
        examination.device = state
        return state == .bad ? .badDeviceToken : nil
    }

    static func deviceTokenActive(_ examination: inout Examination, _: inout ConnectionFacts) -> Refusal? {
        switch examination.device {
        case .unregistered(let since):
            examination.timestamp = since.map(milliseconds) ?? nextSecond(examination)
            return .unregistered
        case .expired(let since):
            examination.timestamp = since.map(milliseconds) ?? nextSecond(examination)
            return .expiredToken
        default:
            return nil
        }
    }

    /// The next full second, so that a device that was registered in this second was registered before it.
    private static func nextSecond(_ examination: Examination) -> Int64 { (examination.wallClock / 1000 + 1) * 1000 }

    /// Milliseconds since 1970. A date that does not fit becomes the latest that does.
    private static func milliseconds(_ date: Date) -> Int64 {
        Int64(exactly: (date.timeIntervalSince1970 * 1_000).rounded()) ?? .max
    }

    static func deviceTokenTopic(_ examination: inout Examination, _ facts: inout ConnectionFacts) -> Refusal? {
        switch examination.device {
        case .wrongTopic:
            return .deviceTokenNotForTopic
        case .validOnly(let wanted):
            return topic(of: examination.request, facts)?.text == wanted ? nil : .deviceTokenNotForTopic
        default:
            return nil
        }
    }
}
