import PushLocking

/// The device tokens of a simulated APNs. Rules describe them, so a million tokens need no list.
///
/// The state of a token is the one that ``set(_:for:)`` gave to this token, or that of the first rule that covers it,
/// or `otherwise` of ``init(rules:otherwise:)``. All functions may be called from any thread, even while a simulator
/// uses the registry.
///
/// With the standard rules, the token itself says what happens to a push. Every token is valid, except:
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
/// The prefixes have eight digits, so about one random token in 1,000 million matches one. "Now" is the moment of the
/// answer by the simulator's wall clock, rounded up to the second, so `FeedbackEvent.invalidates(registeredAt:)` is
/// true for a device that was registered before the push, even in the same second. For another time, use
/// ``DeviceState/unregistered(since:)`` with a date.
public final class DeviceRegistry: Sendable {
    /// The rules in the table above.
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

    /// Creates a registry with the given rules, of which the first that covers a token applies, and a state for all
    /// other tokens.
    public init(rules: [DeviceRule] = DeviceRegistry.standardRules, otherwise: DeviceState = .valid) {
        book = Locked(Book(rules: rules.map(DeviceRule.Compiled.init), otherwise: otherwise))
    }

    /// Replaces the rules and the state of tokens that no rule covers. States of single tokens remain.
    public func setRules(_ rules: [DeviceRule], otherwise: DeviceState = .valid) {
        let compiled = rules.map(DeviceRule.Compiled.init)
        book.withLock {
            $0.rules = compiled
            $0.otherwise = otherwise
        }
    }

    /// Sets the state of one device token, which takes precedence over all rules. Nil removes it.
    public func set(_ state: DeviceState?, for deviceToken: String) {
        let key = Octets(Array(deviceToken.lowercased().utf8))
        book.withLock { $0.single[key] = state }
    }

    /// The state of a device token, in hex digits of either case.
    public func state(of deviceToken: String) -> DeviceState {
        state(of: Octets(Array(deviceToken.utf8)))
    }

    /// The state of a device token that consists of hex digits.
    func state(of token: Octets) -> DeviceState {
        book.withLock { book in
            if !book.single.isEmpty, let state = book.single[Octets(token.map { $0 | 0x20 })] { return state }
            return book.rules.first { $0.covers(token) }?.state ?? book.otherwise
        }
    }
}
