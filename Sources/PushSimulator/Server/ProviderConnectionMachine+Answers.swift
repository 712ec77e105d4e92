/// The answers to requests, and their ids.
extension ProviderConnectionMachine {
    /// The answer to a push. An invalid id is not repeated: the answer has a new one.
    mutating func answer(on stream: Int32, to request: PushRequest, verdict: Verdict) -> Answer {
        var messageID = request.messageID ?? []
        if request.messageID == nil || verdict.refusal == .badMessageID || !PushRequest.isMessageID(messageID) {
            messageID = makeUUID(isUpperCase: true)
        }
        let uniqueID = policy.environment == .development ? makeUUID(isUpperCase: false) : nil
        return Answer(stream: stream, verdict: verdict, messageID: messageID, uniqueID: uniqueID)
    }

    /// Like the answer to a push, but these answers have no `apns-id`.
    mutating func answer(
        on stream: Int32, to request: ChannelRequest, verdict: Verdict, reply: ChannelReply
    ) -> Answer {
        let given = request.requestID.flatMap { PushRequest.isMessageID($0) ? $0 : nil }
        let requestID = given ?? makeUUID(isUpperCase: true)
        return Answer(stream: stream, verdict: verdict, reply: reply, messageID: requestID, uniqueID: nil)
    }

    private mutating func makeUUID(isUpperCase: Bool) -> Octets {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(36)
        generator.appendUUID(to: &bytes, isUpperCase: isUpperCase)
        return bytes[...]
    }
}
