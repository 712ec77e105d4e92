@testable import SupervisedPush

/// Values that tests need and do not care about.
enum MachineSamples {
    static let token = {
        guard let token = try? DeviceToken(String(repeating: "ab", count: 32)) else { preconditionFailure("sample") }
        return token
    }()
    static let push = Push(.alert(title: "Flight A998", body: "Boarding"), to: token)
    /// A push to the device of this number.
    static func push(to device: Int) -> Push {
        let digits = String(device, radix: 16)
        guard let token = try? DeviceToken(String(repeating: "0", count: 64 - digits.count) + digits) else {
            preconditionFailure("sample")
        }
        return Push(push.notification, to: token)
    }
    static let head = RequestHead(
        push.notification, to: token, defaults: RequestDefaults(topic: "com.example.app"), apnsID: nil)
}
