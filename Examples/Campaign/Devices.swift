import SupervisedPush

/// The devices of a campaign: made up as they are read, one in a hundred of an app that was removed. A file or a database
/// cursor will do as well, as a sequence or, if it has to be waited for, as an asynchronous one.
struct Devices: Sequence, Sendable {
    let count: Int

    func makeIterator() -> AnyIterator<DeviceToken> {
        var number = 0
        return AnyIterator {
            guard number < count else { return nil }
            number += 1
            let prefix = number % 100 == 0 ? "deadbeef" : "ab000000"
            let digits = String(number, radix: 16)
            return try? DeviceToken(prefix + String(repeating: "0", count: 56 - digits.count) + digits)
        }
    }
}
