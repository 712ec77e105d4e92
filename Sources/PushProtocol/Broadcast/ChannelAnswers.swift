/// What the channel management says in bodies and headers. Members that this version does not know are passed over.
extension PushResponse {
    /// The id of a request that is no push to a device, as APNs repeated or made it: a broadcast's.
    public var requestID: APNSID? {
        headers.withFirstValue(of: "apns-request-id") { APNSID(utf8: $0) } ?? nil
    }

    /// The channel that was created; nil if the answer names none.
    package var createdChannel: ChannelID? {
        headers["apns-channel-id"].flatMap { try? ChannelID($0) }
    }

    /// The channel that was read; nil if the body does not describe one.
    package func channel(_ id: ChannelID) -> BroadcastChannel? {
        guard let body = bodyJSON, let policy = body["message-storage-policy"]?.integerValue else { return nil }
        let type = body["push-type"]?.stringValue ?? PushType.liveActivity.rawValue
        return BroadcastChannel(
            id: id, storagePolicy: ChannelStoragePolicy(rawValue: policy),
            pushType: PushType(rawValue: type).isLiveActivity ? .liveActivity : PushType(rawValue: type))
    }

    /// How many channels a list names; nil if the body is none.
    package var channelCount: Int? {
        guard case .array(let elements)? = bodyJSON?["channels"] else { return nil }
        return elements.count
    }

    /// The channels of a list; nil if the body is none, or names something that can be no channel.
    package var channels: [ChannelID]? {
        guard case .array(let elements)? = bodyJSON?["channels"] else { return nil }
        var channels: [ChannelID] = []
        channels.reserveCapacity(elements.count)
        for element in elements {
            guard let text = element.stringValue, let channel = try? ChannelID(text) else { return nil }
            channels.append(channel)
        }
        return channels
    }
}

extension PushType {
    /// Apple writes the type of broadcasts in several ways, and compares without case.
    package var isLiveActivity: Bool { rawValue.lowercased() == PushType.liveActivity.rawValue }
}
