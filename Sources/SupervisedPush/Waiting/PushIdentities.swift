import Glibc
import PushLocking

/// Hands out the numbers and apns-ids of a connection's pushes.
///
/// Numbers come in blocks from one counter of the program, so that they are unique in it and ascend within a
/// connection; random bytes come from the system in bulk, because a call for each would cost more than the rest of a
/// push.
struct PushIdentities {
    private static let blocks = Locked<UInt64>(0)
    private static let blockSize: UInt64 = 1_024
    /// 256 bytes, the most that one call gives without being interrupted.
    private static let drawnWords = 32

    private var next: UInt64 = 0
    private var end: UInt64 = 0
    private var random: [UInt64] = []
    /// The header fields of the latest push.
    private var template: HeadTemplate?

    /// What tells a push from all others, and the fields that it shares with those of its notification.
    struct Identity {
        let id: PushID
        let apnsID: APNSID?
        let template: HeadTemplate
    }

    /// The identity of the next push to a device.
    mutating func next(
        for notification: PushNotification, _ policy: PushPolicy, _ defaults: RequestDefaults
    ) -> Identity {
        let template = template(notification, defaults)
        return Identity(
            id: PushID(number: number()), apnsID: apnsID(notification, policy, defaults), template: template)
    }

    /// The identity of the next request that goes to no device.
    mutating func next(
        for notification: PushNotification, _ route: RequestRoute, _ policy: PushPolicy
    ) -> Identity {
        Identity(
            id: PushID(number: number()), apnsID: apnsID(notification, policy, RequestDefaults()),
            template: HeadTemplate(notification, for: route))
    }

    private mutating func apnsID(
        _ notification: PushNotification, _ policy: PushPolicy, _ defaults: RequestDefaults
    ) -> APNSID? {
        let apnsID = RequestHead.apnsID(for: notification, defaults: defaults) {
            APNSID(randomHigh: word(), low: word())
        }
        // Two attempts that may both be processed have to bear one id, also where APNs was to make it.
        guard apnsID == nil, policy.resend == .resendUnknown else { return apnsID }
        return APNSID(randomHigh: word(), low: word())
    }

    /// Pushes of one notification tend to come one after the other, and different notifications to have the same
    /// fields.
    private mutating func template(_ notification: PushNotification, _ defaults: RequestDefaults) -> HeadTemplate {
        if let template, template.fits(notification, defaults) { return template }
        let new = HeadTemplate(notification, defaults)
        template = new
        return new
    }

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

    private mutating func word() -> UInt64 {
        if random.isEmpty { random = Self.draw() }
        return random.removeLast()
    }

    private static func draw() -> [UInt64] {
        var words = [UInt64](repeating: 0, count: drawnWords)
        let code = words.withUnsafeMutableBytes { getentropy($0.baseAddress, $0.count) }
        guard code == 0 else {
            // Only kernels without the call get here: word by word instead.
            var system = SystemRandomNumberGenerator()
            return words.map { _ in system.next() }
        }
        return words
    }
}
