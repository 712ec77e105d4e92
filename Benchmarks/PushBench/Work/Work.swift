import SupervisedPush

/// The pushes to make, by number: device tokens in turn, one payload or one for each.
struct Work: Sendable {
    private let tokens: [DeviceToken]
    private let shared: PushNotification?

    init(_ options: WorkOptions) throws {
        tokens = try (1...max(1, options.devices)).map { try DeviceToken(Self.hex($0)) }
        shared = options.payload == .shared ? Self.alert(gate: 12) : nil
    }

    func token(_ number: Int) -> DeviceToken { tokens[number % tokens.count] }

    func notification(_ number: Int) -> PushNotification { shared ?? Self.alert(gate: 10 + number % 90) }

    /// 64 digits that look like a device token, for these cost more after Huffman coding than many zeros.
    static func hex(_ number: Int) -> String {
        var state = UInt64(number)
        return (0..<4).map { _ in
            state = state &* 0x5851_F42D_4C95_7F2D &+ 0x1405_7B7E_F767_814F
            let digits = String(state ^ (state >> 29), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// The same size for each gate of two digits.
    static func alert(gate: Int) -> PushNotification {
        .alert(
            title: "Flight A998 to Reykjavík", body: "Boarding at gate \(gate), row 17 and higher first.", badge: 1,
            sound: "default", threadID: "flight-A998")
    }
}
