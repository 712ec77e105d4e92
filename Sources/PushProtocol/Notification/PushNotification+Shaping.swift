extension PushNotification {
    /// A payload that is already JSON.
    ///
    /// - Parameters:
    ///   - json: One JSON object in UTF-8.
    ///   - pushType: The type; nil infers it from the payload.
    /// - Throws: `InvalidPush` with the code `.payloadEmpty` or `.payloadNotJSON`.
    public static func raw(_ json: [UInt8], pushType: PushType? = nil) throws(InvalidPush) -> PushNotification {
        PushNotification(payload: try Payload(json: json), pushType: pushType)
    }

    /// A payload that is already JSON.
    ///
    /// - Parameters:
    ///   - json: One JSON object.
    ///   - pushType: The type; nil infers it from the payload.
    /// - Throws: `InvalidPush` with the code `.payloadEmpty` or `.payloadNotJSON`.
    public static func raw(json: String, pushType: PushType? = nil) throws(InvalidPush) -> PushNotification {
        PushNotification(payload: try Payload(json: json), pushType: pushType)
    }

    /// Returns a changed copy.
    ///
    /// ```swift
    /// let urgent = gate.with { $0.priority = .immediately }
    /// ```
    public func with<Failure>(
        _ change: (inout PushNotification) throws(Failure) -> Void
    ) throws(Failure) -> PushNotification {
        var copy = self
        try change(&copy)
        return copy
    }

    /// Returns a copy that replaces an earlier notification with the same id on the device, and is replaced by a later
    /// one. If it is sent twice, it is shown once, so it is safe to send again when it may already have been delivered.
    ///
    /// - Parameter id: The same id at each attempt, and a different one for each message, such as `order-4711-shipped`.
    public func collapsing(_ id: CollapseID) -> PushNotification {
        var copy = self
        copy.collapseID = id
        return copy
    }

    /// Returns a copy that replaces an earlier notification with the same id, like ``collapsing(_:)-(CollapseID)``.
    ///
    /// - Throws: `InvalidPush` with the code `.collapseIDTooLong` or `.invalidCollapseID`.
    public func collapsing(_ id: some StringProtocol) throws(InvalidPush) -> PushNotification {
        collapsing(try CollapseID(id))
    }

    /// Returns a copy that also waives these rules.
    public func waiving(_ rules: PushRules) -> PushNotification {
        var copy = self
        copy.waived.formUnion(rules)
        return copy
    }

    /// Returns a copy whose payload fits the limit of its push type; unchanged if it already fits.
    ///
    /// Do it once for a notification that goes to many devices.
    ///
    /// - Parameters:
    ///   - fit: How to cut it.
    ///   - limit: The limit in bytes. If nil, that of the push type, or 4096 if none is set. For a broadcast, pass 5120.
    /// - Throws: `InvalidPush` with the code `.payloadTooLarge` if it cannot be cut to fit.
    public func fitted(_ fit: PayloadFit = .truncateBody, limit: Int? = nil) throws(InvalidPush) -> PushNotification {
        var copy = self
        copy.payload = try payload.fitted(fit, limit: limit ?? (pushType ?? .alert).maxPayloadBytes)
        return copy
    }
}
