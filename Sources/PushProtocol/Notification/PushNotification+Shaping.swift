extension PushNotification {
    /// A payload that is already JSON.
    ///
    /// - Parameters:
    ///   - json: one JSON object in UTF-8.
    ///   - pushType: the type; nil infers it from the payload.
    /// - Throws: `InvalidPush` with the code `.payloadEmpty` or `.payloadNotJSON`.
    public static func raw(_ json: [UInt8], pushType: PushType? = nil) throws(InvalidPush) -> PushNotification {
        PushNotification(payload: try Payload(json: json), pushType: pushType)
    }

    /// A payload that is already JSON.
    ///
    /// - Parameters:
    ///   - json: one JSON object.
    ///   - pushType: the type; nil infers it from the payload.
    /// - Throws: `InvalidPush` with the code `.payloadEmpty` or `.payloadNotJSON`.
    public static func raw(json: String, pushType: PushType? = nil) throws(InvalidPush) -> PushNotification {
        PushNotification(payload: try Payload(json: json), pushType: pushType)
    }

    /// A copy that replaces, on the device, an earlier notification with the same id, and is replaced by a later one: sent
    /// twice, it is shown once. That makes it safe to send again what may have been delivered.
    ///
    /// - Parameter id: the same at each attempt, another for each thing you tell, such as `order-4711-shipped`.
    public func collapsing(_ id: CollapseID) -> PushNotification {
        var copy = self
        copy.collapseID = id
        return copy
    }

    /// A copy that is not held to these rules either.
    public func waiving(_ rules: PushRules) -> PushNotification {
        var copy = self
        copy.waived.formUnion(rules)
        return copy
    }

    /// A copy whose payload is made to fit the limit of its push type, unchanged if it fits already.
    ///
    /// Do it once for a notification that goes to many devices.
    ///
    /// - Parameter limit: bytes; nil: the limit of the push type, 4096 where that is not set. That of a broadcast, 5120, must be given.
    /// - Throws: `InvalidPush` with the code `.payloadTooLarge` if it cannot be made to fit.
    public func fitted(_ fit: PayloadFit = .truncateBody, limit: Int? = nil) throws(InvalidPush) -> PushNotification {
        var copy = self
        copy.payload = try payload.fitted(fit, limit: limit ?? (pushType ?? .alert).maxPayloadBytes)
        return copy
    }
}
