import PushLocking

/// Assigns the numbers and apns-ids of a connection's pushes.
///
/// Numbers come in blocks from a counter of the program, so they are unique and ascend within a connection.
struct PushIdentities {
    private static let blocks = Locked<UInt64>(0)
    private static let blockSize: UInt64 = 1_024

    private var next: UInt64 = 0
    private var end: UInt64 = 0
    private var random = RandomWords()
    /// The header fields of the latest push.
    private var template: HeadTemplate?
    /// Whether they were made with the usual defaults.
    private var isUsual = false

    /// The ids of a push, and the fields that it shares with other pushes of its notification.
    struct Identity {
        let id: PushID
        let apnsID: APNSID?
        let template: HeadTemplate
    }

    /// The ids of the next push to a device.
    ///
    /// - Parameters:
    ///   - callersID: The apns-id that the caller gave beside the notification.
    ///   - isUsual: The defaults are those of every other call that says so.
    mutating func next(
        for notification: PushNotification, callersID: APNSID?, policy: PushPolicy, defaults: RequestDefaults,
        isUsual: Bool
    ) -> Identity {
        let template = template(for: notification, defaults: defaults, isUsual: isUsual)
        return Identity(
            id: nextID(), apnsID: callersID ?? apnsID(for: notification, policy: policy, defaults: defaults),
            template: template)
    }

    /// The ids of the next request without a device.
    mutating func next(
        for notification: PushNotification, route: RequestRoute, policy: PushPolicy
    ) -> Identity {
        Identity(
            id: nextID(), apnsID: apnsID(for: notification, policy: policy, defaults: RequestDefaults()),
            template: HeadTemplate(notification, for: route))
    }

    /// Removes and returns what it keeps for the next push, to be released without the lock.
    mutating func takeKept() -> (template: HeadTemplate?, random: RandomWords) {
        defer { (template, random) = (nil, RandomWords()) }
        return (template, random)
    }

    private mutating func apnsID(
        for notification: PushNotification, policy: PushPolicy, defaults: RequestDefaults
    ) -> APNSID? {
        let apnsID = RequestHead.apnsID(for: notification, defaults: defaults) {
            APNSID(randomHigh: random.next(), low: random.next())
        }
        // Two attempts that may both be processed must have the same id, even if APNs was asked to make it.
        guard apnsID == nil, policy.resend == .resendUnknown else { return apnsID }
        return APNSID(randomHigh: random.next(), low: random.next())
    }

    /// Pushes of one notification usually follow one another, and different notifications often have the same fields.
    private mutating func template(
        for notification: PushNotification, defaults: RequestDefaults, isUsual: Bool
    ) -> HeadTemplate {
        if let template, template.fits(notification), isUsual && self.isUsual || template.has(defaults) {
            return template
        }
        let new = HeadTemplate(notification, defaults: defaults)
        template = new
        self.isUsual = isUsual
        return new
    }

    /// The id of the next push.
    mutating func nextID() -> PushID { PushID(number: number()) }

    private mutating func number() -> UInt64 {
        if next == end {
            let size = Self.blockSize
            next = Self.blocks.withLock { block in
                block += 1
                return block * size
            }
            end = next + size
        }
        defer { next += 1 }
        return next
    }
}
