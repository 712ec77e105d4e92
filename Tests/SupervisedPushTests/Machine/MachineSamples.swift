@testable import SupervisedPush

/// Values that tests need and do not care about.
enum MachineSamples {
    static let token = {
        guard let token = try? DeviceToken(String(repeating: "ab", count: 32)) else { preconditionFailure("sample") }
        return token
    }()
    static let push = Push(.alert(title: "Flight A998", body: "Boarding"), to: token)
    static let head = RequestHead(
        push.notification, to: token, defaults: RequestDefaults(topic: "com.example.app"), apnsID: nil)
}
