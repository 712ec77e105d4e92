import Locking

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#else
    import Musl
#endif

/// Hands out the numbers and apns-ids of a connection's pushes.
///
/// Numbers come in blocks from one counter of the program, so that they are unique in it and ascend within a connection;
/// random bytes come from the system in bulk, because a call for each would cost more than the rest of a push.
struct PushIdentities {
    private static let blocks = Locked<UInt64>(0)
    private static let blockSize: UInt64 = 1_024
    /// 256 bytes, the most that one call gives without being interrupted.
    private static let drawnWords = 32

    private var next: UInt64 = 0
    private var end: UInt64 = 0
    private var random: [UInt64] = []

    mutating func issue(
        _ push: Push, _ times: PushTimes, _ policy: PushPolicy, _ defaults: RequestDefaults
    ) -> PushRecord {
        var apnsID = RequestHead.apnsID(for: push.notification, defaults: defaults) {
            APNSID(randomHigh: word(), low: word())
        }
        // Two attempts that may both be processed have to bear one id, also where APNs was to make it.
        if apnsID == nil, policy.resend == .resendUnknown { apnsID = APNSID(randomHigh: word(), low: word()) }
        let head = RequestHead(push.notification, to: push.deviceToken, defaults: defaults, apnsID: apnsID)
        return PushRecord(id: PushID(number: number()), push: push, head: head, times: times, policy: policy)
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
