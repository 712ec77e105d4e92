/// Rows 18 to 22 of channel management, and its effects.
extension ChannelChecks {
    /// How much of a body is kept. The only valid body has 54 bytes.
    static let bodyLimit = 4096

    /// For a channel that cannot be deleted because it does not exist, Apple documents only 404.
    static func channelDeletable(_ examination: inout ChannelExamination, _: inout ConnectionFacts) -> Refusal? {
        guard examination.action == .delete else { return nil }
        if case .open = examination.state { return nil }
        return .badPath
    }

    static func bodySize(_ examination: inout ChannelExamination, _: inout ConnectionFacts) -> Refusal? {
        guard examination.action == .create else { return nil }
        return examination.push.request.bodyCount > bodyLimit ? .payloadTooLarge : nil
    }

    static func bodyObject(_ examination: inout ChannelExamination, _: inout ConnectionFacts) -> Refusal? {
        guard examination.action == .create else { return nil }
        examination.creation = ChannelCreation(json: examination.request.body)
        return examination.creation == nil ? .badRequestPayload : nil
    }

    static func bodyMembers(_ examination: inout ChannelExamination, _: inout ConnectionFacts) -> Refusal? {
        guard let creation = examination.creation else { return nil }
        if creation.storagePolicy == nil { return .missingChannelQueueSize }
        return creation.isLiveActivity ? nil : .badRequestParams
    }

    static func room(_ examination: inout ChannelExamination, _: inout ConnectionFacts) -> Refusal? {
        guard examination.action == .create else { return nil }
        return examination.channels.hasRoom(examination.bundleID, examination.environment)
            ? nil : .cannotCreateChannelConfig
    }

    /// Performs the action. Fails only if another connection was faster.
    static func perform(_ examination: inout ChannelExamination, _: inout ConnectionFacts) -> Refusal? {
        let (bundleID, environment) = (examination.bundleID, examination.environment)
        switch examination.action {
        case .broadcast, nil:
            break
        case .create:
            let storagePolicy = examination.creation?.storagePolicy ?? .noStorage
            guard let made = examination.channels.create(for: bundleID, storing: storagePolicy, in: environment) else {
                return .cannotCreateChannelConfig
            }
            examination.reply = ChannelReply(status: 201, channelID: made.id)
        case .read:
            examination.reply.body = Array(
                #"{"message-storage-policy":\#(examination.channel?.storagePolicy.rawValue ?? 0),"push-type":"LiveActivity"}"#
                    .utf8)
        case .delete:
            let id = examination.request.channelID?.text ?? ""
            guard examination.channels.delete(id, of: bundleID, in: environment) else { return .badPath }
            examination.reply.status = 204
        case .list:
            // Base64 needs no escapes.
            let ids = examination.channels.channels(of: bundleID, in: environment).map { #""\#($0.id)""# }
            examination.reply.body = Array(#"{"channels":[\#(ids.joined(separator: ","))]}"#.utf8)
        }
        return nil
    }
}
