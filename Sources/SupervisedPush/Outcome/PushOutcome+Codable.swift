import FoundationEssentials

/// An object such as `{"outcome":"rejected","status":410,"reason":"Unregistered","apns_id":"01234567-…",
/// "timestamp":1800000000,"attempts":1,"certainty":"answered","invalidated_at":1800000000,"ended_at":1800000100.25}`. What is
/// not known is left out. Times are UNIX seconds.
extension PushOutcome: Codable {
    private enum CodingKeys: String, CodingKey {
        case outcome, status, reason, timestamp, attempts, certainty
        case apnsID = "apns_id"
        case invalidatedAt = "invalidated_at"
        case endedAt = "ended_at"
    }

    /// Writes the object.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(kind, forKey: .outcome)
        try values.encodeIfPresent(status, forKey: .status)
        try values.encodeIfPresent(reason, forKey: .reason)
        try values.encodeIfPresent(apnsID, forKey: .apnsID)
        try values.encodeIfPresent(timestamp?.unixSeconds, forKey: .timestamp)
        try values.encode(attempts, forKey: .attempts)
        try values.encode(certainty.rawValue, forKey: .certainty)
        try values.encodeIfPresent(invalidatedAt?.unixSeconds, forKey: .invalidatedAt)
        try values.encodeIfPresent(endedAt.map { Double($0.unixMilliseconds) / 1_000 }, forKey: .endedAt)
    }

    /// Reads the object. Other members are ignored.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let word = try values.decode(String.self, forKey: .certainty)
        guard let certainty = Certainty(rawValue: word) else {
            throw DecodingError.dataCorruptedError(
                forKey: .certainty, in: values,
                debugDescription: "A certainty is one of \(Certainty.allCases.map(\.rawValue).joined(separator: ", "))."
            )
        }
        func date(_ key: CodingKeys) throws -> Date? {
            try values.decodeIfPresent(Int64.self, forKey: key).map { Date(unixSeconds: $0) }
        }
        self.init(
            try values.decode(Kind.self, forKey: .outcome), certainty: certainty,
            status: try values.decodeIfPresent(Int.self, forKey: .status),
            reason: try values.decodeIfPresent(String.self, forKey: .reason),
            apnsID: try values.decodeIfPresent(APNSID.self, forKey: .apnsID), timestamp: try date(.timestamp),
            invalidatedAt: try date(.invalidatedAt),
            attempts: try values.decodeIfPresent(Int.self, forKey: .attempts) ?? 0,
            endedAt: try values.decodeIfPresent(Double.self, forKey: .endedAt).map { Date(timeIntervalSince1970: $0) })
    }
}
