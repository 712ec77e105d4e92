import FoundationEssentials

/// The body of a request that creates a channel: `{"message-storage-policy": 0, "push-type": "LiveActivity"}`.
struct ChannelCreation: Decodable {
    /// Nil if it is missing or unknown.
    let storagePolicy: ChannelRegistry.StoragePolicy?
    /// True for `LiveActivity`, compared without case.
    let isLiveActivity: Bool

    private enum CodingKeys: String, CodingKey {
        case storagePolicy = "message-storage-policy"
        case pushType = "push-type"
    }

    /// Nil if the body is not a JSON object.
    init?(json: [UInt8]) {
        guard let creation = try? JSONDecoder().decode(Self.self, from: Data(json)) else { return nil }
        self = creation
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let policy = try? members.decode(Int.self, forKey: .storagePolicy)
        storagePolicy = policy.flatMap(ChannelRegistry.StoragePolicy.init)
        let pushType = try? members.decode(String.self, forKey: .pushType)
        isLiveActivity = pushType?.lowercased() == "liveactivity"
    }
}
