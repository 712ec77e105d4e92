import SupervisedPush

/// What the simulator's standard rules say of a device, by the first eight digits of its token.
@nonexhaustive public enum SimulatedDevice: String, Sendable, Hashable, CaseIterable {
    /// Accepted.
    case valid = "ab000000"
    /// 410 `Unregistered`, since now.
    case unregistered = "deadbeef"
    /// 410 `ExpiredToken`, since now.
    case expired = "deadc0de"
    /// 400 `BadDeviceToken`.
    case bad = "baadf00d"
    /// 400 `DeviceTokenNotForTopic`.
    case wrongTopic = "0ddba115"
    /// 429 `TooManyRequests`.
    case throttled = "f100ded0"
}

extension DeviceToken {
    /// A device token for a test, of 32 bytes.
    ///
    /// ```swift
    /// let gone = DeviceToken.simulated(.unregistered)
    /// let many = (0..<100).map { DeviceToken.simulated(number: $0) }
    /// ```
    ///
    /// - Parameters:
    ///   - device: What the simulator answers, unless its rules were changed. By default it accepts the push.
    ///   - number: Makes different tokens. 0 by default.
    public static func simulated(_ device: SimulatedDevice = .valid, number: UInt32 = 0) -> DeviceToken {
        let digits = String(number, radix: 16)
        let hex = device.rawValue + String(repeating: "0", count: 56 - digits.count) + digits
        guard let token = try? DeviceToken(hex) else { preconditionFailure("64 hexadecimal digits are a device token") }
        return token
    }
}
