import Testing

@testable import PushSimulator

/// A request that every check accepts, a place to spoil it, and the judge.
struct CheckHarness {
    static let token = String(repeating: "a1", count: 32)
    static let wallClock: Int64 = 1_800_000_000_000
    static let second: Int64 = 1_000_000_000

    private static let shared = Result { try ThrowAwayCredentials(keyID: "KEYAAAAAAA", teamID: "TEAMAAAAAA") }

    private static let sharedToken = Result {
        try shared.get().providerToken(issuedAt: Date(timeIntervalSince1970: Double(wallClock / 1000 - 60)))
    }

    let credentials: ThrowAwayCredentials
    var policy: CheckPolicy
    var facts: ConnectionFacts
    var now: Int64 = 0
    var wallClock = Self.wallClock
    var isDraining = false
    var injected: Refusal?
    var headers: [(name: String, value: String)]
    var bodyCount = 20

    init(_ authentication: Authentication = .token, otherKeys: [ProviderKey] = []) throws {
        credentials = try Self.shared.get()
        policy = CheckPolicy(
            environment: .production, verifier: TokenVerifier(keys: [try credentials.signingKey()] + otherKeys),
            devices: DeviceRegistry())
        facts = ConnectionFacts(authentication, policy: policy)
        headers = [
            (":method", "POST"), (":scheme", "https"), (":path", "/3/device/" + Self.token),
            (":authority", "localhost"), ("apns-topic", "com.example.app"), ("apns-push-type", "alert"),
            ("apns-priority", "10"), ("apns-expiration", "0"), ("apns-collapse-id", "match"),
            ("apns-id", "123e4567-E89B-12d3-a456-426614174000"), ("user-agent", "anything"),
        ]
        if case .token = authentication {
            headers.append(("authorization", "bearer " + (try Self.sharedToken.get())))
        }
    }

    /// A provider token of the connection's key, this many seconds old.
    func token(age: Int64) throws -> String {
        try credentials.providerToken(issuedAt: Date(timeIntervalSince1970: Double(Self.wallClock / 1000 - age)))
    }

    /// The header's value; setting nil removes it.
    subscript(name: String) -> String? {
        get { headers.first { $0.name == name }?.value }
        set {
            headers.removeAll { $0.name == name }
            if let newValue { headers.append((name, newValue)) }
        }
    }

    mutating func judge() -> Verdict {
        var request = PushRequest()
        for header in headers {
            request.add(name: Octets(Array(header.name.utf8)), value: Octets(Array(header.value.utf8)))
        }
        request.bodyCount = bodyCount
        let examination = Examination(
            request: request, policy: policy, now: now, wallClock: wallClock, isDraining: isDraining, injected: injected
        )
        return RequestChecks.judge(examination, &facts)
    }
}
