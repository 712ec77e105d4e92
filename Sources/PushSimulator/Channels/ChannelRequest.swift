/// The parts of a request about broadcast channels that differ from a device push: its path, its own headers, its body.
///
/// The accompanying ``PushRequest`` contains the common parts: method, credentials, push type, priority, expiration and
/// the length of the body.
struct ChannelRequest {
    /// The resource in the path.
    enum Resource {
        /// `/4/broadcasts/apps/<bundle id>`.
        case broadcasts
        /// `/1/apps/<bundle id>/channels`.
        case channels
        /// `/1/apps/<bundle id>/all-channels`.
        case allChannels
        case unknown
    }

    let service: Service
    let resource: Resource
    let bundleID: Octets
    /// `apns-channel-id`; nil also if it is empty.
    var channelID: Octets?
    var requestID: Octets?
    /// What was kept of the body: on the management port 4,096 bytes, on the push port what the ledger keeps of a payload.
    var body: [UInt8] = []

    /// The longest accepted bundle id in bytes.
    private static let longestBundleID = 255
    /// The longest accepted channel id. Those of APNs currently have 24 characters.
    private static let longestID = 128

    /// - Returns: Nil for a request to the push port that is not a broadcast.
    init?(path: Octets, at service: Service) {
        self.service = service
        switch service {
        case .push:
            guard path.starts(with: "/4/broadcasts/apps/") else { return nil }
            bundleID = path.dropFirst(19)
            resource = Self.isBundleID(bundleID) ? .broadcasts : .unknown
        case .management:
            let parts = path.split(separator: 0x2F, maxSplits: 5, omittingEmptySubsequences: false)
            guard parts.count == 5, parts[0].isEmpty, parts[1].equals("1"), parts[2].equals("apps"),
                Self.isBundleID(parts[3])
            else {
                bundleID = []
                resource = .unknown
                return
            }
            bundleID = parts[3]
            resource =
                parts[4].equals("channels") ? .channels : parts[4].equals("all-channels") ? .allChannels : .unknown
        }
    }

    /// Stores one header. If a name occurs twice, the first value is kept.
    mutating func add(name: Octets, value: Octets) {
        guard name.count == 15 else { return }
        if name.equals("apns-channel-id") {
            if channelID == nil, !value.isEmpty { channelID = value }
        } else if name.equals("apns-request-id"), requestID == nil {
            requestID = value
        }
    }

    /// The requested action; nil if the path is unknown or does not support the method.
    func action(_ method: Octets) -> ChannelAction? {
        switch resource {
        case .broadcasts where method.equals("POST"): .broadcast
        case .channels where method.equals("POST"): .create
        case .channels where method.equals("GET"): .read
        case .channels where method.equals("DELETE"): .delete
        case .allChannels where method.equals("GET"): .list
        default: nil
        }
    }

    /// Whether the id is base64 with padding (RFC 4648, section 4) and not too long. Its length is not fixed.
    static func isChannelID(_ id: Octets) -> Bool {
        guard !id.isEmpty, id.count <= longestID, id.count.isMultiple(of: 4) else { return false }
        let digits = id.suffix(2).equals("==") ? id.dropLast(2) : id.last == 0x3D ? id.dropLast() : id
        return digits.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2F: true
            default: false
            }
        }
    }

    private static func isBundleID(_ text: Octets) -> Bool {
        !text.isEmpty && text.count <= longestBundleID && !text.contains(0x2F)
    }
}

/// The purpose of a request about broadcast channels.
@nonexhaustive public enum ChannelAction: String, Sendable, Hashable, CaseIterable {
    /// `POST /4/broadcasts/apps/<bundle id>` on the push port: a message to all subscribers of a channel.
    case broadcast
    /// `POST /1/apps/<bundle id>/channels` on the management port, like the following.
    case create
    /// `GET /1/apps/<bundle id>/channels`.
    case read
    /// `DELETE /1/apps/<bundle id>/channels`.
    case delete
    /// `GET /1/apps/<bundle id>/all-channels`.
    case list
}
