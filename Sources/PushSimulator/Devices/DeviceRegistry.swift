import PushLocking

/// The device tokens of a simulated APNs, held by rule: a million tokens need no list.
///
/// A token's state is the one set for exactly this token with ``set(_:for:)``; else that of the first rule that covers it; else
/// ``init(rules:otherwise:)``'s `otherwise`. All functions may be called from any thread, also while a simulator runs on the registry.
///
/// With the standard rules a test can say in the token itself what should happen to it. Every token is valid, except:
///
/// | device token | answer |
/// |---|---|
/// | begins with `deadbeef` | 410 `Unregistered`, `timestamp` now |
/// | begins with `deadc0de` | 410 `ExpiredToken`, `timestamp` now |
/// | begins with `baadf00d` | 400 `BadDeviceToken` |
/// | begins with `0ddba115` | 400 `DeviceTokenNotForTopic` |
/// | begins with `f100ded0` | 429 `TooManyRequests` |
/// | only zeros | 400 `BadDeviceToken` |
///
/// Eight digits, so that a random token is taken for a special one about once in a thousand million. "Now" is the moment of the answer
/// by the simulator's wall clock, rounded up to the second: `FeedbackEvent.invalidates(registeredAt:)` is true of a device that was registered
/// before the push, also in the same second. For another time set ``DeviceState/unregistered(since:)`` with one.
public final class DeviceRegistry: Sendable {
    /// The rules of the table above.
    public static let standardRules: [DeviceRule] = [
        DeviceRule(.prefix("deadbeef"), .unregistered()),
        DeviceRule(.prefix("deadc0de"), .expired()),
        DeviceRule(.prefix("baadf00d"), .bad),
        DeviceRule(.prefix("0ddba115"), .wrongTopic),
        DeviceRule(.prefix("f100ded0"), .tooManyRequests),
        DeviceRule(.only("0"), .bad),
    ]

    private struct Book {
        var rules: [DeviceRule.Compiled]
        var otherwise: DeviceState
        var single: [Octets: DeviceState] = [:]
    }

    private let book: Locked<Book>

    /// A registry with the given rules, the first that covers a token wins, and a state for tokens no rule covers.
    public init(rules: [DeviceRule] = DeviceRegistry.standardRules, otherwise: DeviceState = .valid) {
        book = Locked(Book(rules: rules.map(DeviceRule.Compiled.init), otherwise: otherwise))
    }

    /// Replaces the rules and the state of tokens no rule covers; states of single tokens stay.
    public func setRules(_ rules: [DeviceRule], otherwise: DeviceState = .valid) {
        let compiled = rules.map(DeviceRule.Compiled.init)
        book.withLock {
            $0.rules = compiled
            $0.otherwise = otherwise
        }
    }

    /// Sets the state of one device token, before all rules; nil gives it back to the rules.
    public func set(_ state: DeviceState?, for deviceToken: String) {
        let key = Octets(Array(deviceToken.lowercased().utf8))
        book.withLock { $0.single[key] = state }
    }

    /// The state of a device token, hex digits of either case.
    public func state(of deviceToken: String) -> DeviceState {
        state(of: Octets(Array(deviceToken.utf8)))
    }

    /// The state of a device token that is known to consist of hex digits.
    func state(of token: Octets) -> DeviceState {
        book.withLock { book in
            if !book.single.isEmpty, let state = book.single[Octets(token.map { $0 | 0x20 })] { return state }
            return book.rules.first { $0.covers(token) }?.state ?? book.otherwise
        }
    }
}
