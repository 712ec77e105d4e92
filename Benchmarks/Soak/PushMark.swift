import SupervisedPush

/// Which push it is, written into its device token and, on some connections, into its apns-id: so that the server's ledger
/// needs one bit a push.
struct PushMark: Equatable {
    let connection: Int
    let sequence: Int

    private static let tag: UInt64 = 0xab50_a000_0000_0000

    init(connection: Int, sequence: Int) {
        self.connection = connection
        self.sequence = sequence
    }

    /// Reads it from the digits of a device token or an apns-id; nil if they hold none.
    init?(digits: some StringProtocol) {
        var (high, low, count) = (UInt64(0), UInt64(0), 0)
        for digit in digits.utf8 {
            let value: UInt8
            switch digit {
            case 0x30...0x39: value = digit - 0x30
            case 0x61...0x66: value = digit - 0x57
            case 0x41...0x46: value = digit - 0x37
            case 0x2d: continue
            default: return nil
            }
            guard count < 32 else { break }
            if count < 16 { high = high << 4 | UInt64(value) } else { low = low << 4 | UInt64(value) }
            count += 1
        }
        guard count == 32, high & ~0xffff == Self.tag else { return nil }
        connection = Int(high & 0xffff)
        sequence = Int(low)
    }

    private var high: UInt64 { Self.tag | UInt64(connection) }

    var apnsID: APNSID { APNSID(high: high, low: UInt64(sequence)) }

    func deviceToken() throws -> DeviceToken {
        var bytes = [UInt8](repeating: 0, count: 32)
        for index in 0..<8 {
            bytes[index] = UInt8(truncatingIfNeeded: high >> UInt64(56 - 8 * index))
            bytes[8 + index] = UInt8(truncatingIfNeeded: UInt64(sequence) >> UInt64(56 - 8 * index))
        }
        return try DeviceToken(bytes: bytes)
    }
}
