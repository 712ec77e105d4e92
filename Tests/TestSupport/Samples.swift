import SupervisedPush

/// Values that tests need and do not care about.
package enum Samples {
    /// A valid device token that differs by number.
    package static func token(_ number: Int = 0) -> DeviceToken {
        let digits = String(number, radix: 16)
        return token(hex: "ab" + String(repeating: "0", count: 62 - digits.count) + digits)
    }

    /// A device token that the simulator says is unregistered.
    package static func unregistered(_ number: Int = 0) -> DeviceToken {
        let digits = String(number, radix: 16)
        return token(hex: "deadbeef" + String(repeating: "0", count: 56 - digits.count) + digits)
    }

    package static let flight = PushNotification.alert(title: "Flight A998", body: "Boarding")

    private static func token(hex: String) -> DeviceToken {
        guard let token = try? DeviceToken(hex) else { preconditionFailure("a sample is wrong: \(hex)") }
        return token
    }
}
