import PushTesting
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
        .simulated(.unregistered, number: UInt32(number))
    }

    /// What the device tokens begin with that a rule of the simulator is to meet, and no others.
    package static let doubtful = "d0b7"

    /// A device token that begins so, and differs by number.
    package static func doubtful(_ number: Int = 0) -> DeviceToken {
        let digits = String(number, radix: 16)
        return token(hex: doubtful + String(repeating: "0", count: 60 - digits.count) + digits)
    }

    package static let flight = PushNotification.alert(title: "Flight A998", body: "Boarding")

    private static func token(hex: String) -> DeviceToken {
        guard let token = try? DeviceToken(hex) else { preconditionFailure("a sample is wrong: \(hex)") }
        return token
    }
}
