import Glibc
import PushLocking

/// Assigns the numbers and apns-ids of a connection's pushes.
///
/// Numbers come in blocks from a counter of the program, so they are unique and ascend within a connection. Random
/// bytes are read from the system in blocks, because a call for each push would cost more than the rest of the push.
struct PushIdentities {
    private static let blocks = Locked<UInt64>(0)
    private static let blockSize: UInt64 = 1_024
    /// 256 bytes, the most that one call returns without being interrupted.
    private static let drawnWords = 32

    private var next: UInt64 = 0
    private var end: UInt64 = 0
    private var random: [UInt64] = []
    /// The header fields of the latest push.
    private var template: HeadTemplate?

    /// The ids of a push, and the fields that it shares with other pushes of its notification.
    struct Identity {
        let id: PushID
        let apnsID: APNSID?
        let template: HeadTemplate
    }

    /// The ids of the next push to a device.
    mutating func next(
        for notification: PushNotification, _ policy: PushPolicy, _ defaults: RequestDefaults
    ) -> Identity {
        let template = template(notification, defaults)
        return Identity(
            id: PushID(number: number()), apnsID: apnsID(notification, policy, defaults), template: template)
    }

    /// The ids of the next request without a device.
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
        // Two attempts that may both be processed must have the same id, even if APNs was asked to make it.
        guard apnsID == nil, policy.resend == .resendUnknown else { return apnsID }
        return APNSID(randomHigh: word(), low: word())
    }

    /// Pushes of one notification usually follow one another, and different notifications often have the same fields.
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
            // Only kernels without the call get here; they read word by word.
            var system = SystemRandomNumberGenerator()
            return words.map { _ in system.next() }
        }
        return words
    }
}
