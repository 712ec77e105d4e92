/// A request about broadcast channels, as far as it differs from a device push: its path, its own headers, its body.
///
/// What both have (method, credentials, push type, priority, expiration, the body's length) is in the ``PushRequest`` beside it.
struct ChannelRequest {
    /// What the path names.
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
    /// `apns-channel-id`; nil also where it is empty.
    var channelID: Octets?
    var requestID: Octets?
    /// What was kept of the body: on the management port 4,096 bytes, on the push port what the ledger keeps of a payload.
    var body: [UInt8] = []

    /// The longest bundle id that is taken for one, in bytes.
    private static let longestBundleID = 255
    /// The longest channel id that is looked at. Those of APNs have 24 characters today.
    private static let longestID = 128

    /// - Returns: Nil for the push port's requests that are no broadcasts.
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

    /// Notes one header; the first of two with the same name is kept.
    mutating func note(name: Octets, value: Octets) {
        guard name.count == 15 else { return }
        if name.equals("apns-channel-id") {
            if channelID == nil, !value.isEmpty { channelID = value }
        } else if name.equals("apns-request-id"), requestID == nil {
            requestID = value
        }
    }

    /// What is asked for; nil where the path is unknown or does not have the method.
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

    /// True where the id is base64 with padding (RFC 4648, section 4) and not too long. No length is fixed.
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
