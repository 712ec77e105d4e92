/// A signing key that the simulator accepts in provider tokens.
public struct ProviderKey: Sendable {
    /// The topics that a key may push to.
    public enum Scope: Sendable, Hashable {
        /// Every topic of its team.
        case team
        /// These topics and those derived from them by a suffix (`com.example.app` covers `com.example.app.voip`).
        /// `related` is the id of the only other key that may be used on the same connection.
        case topics(Set<String>, related: String? = nil)
    }

    /// The key's id at APNs: ten characters.
    public let keyID: String
    /// The id of the key's team: ten characters.
    public let teamID: String
    /// The environments of the key. In others, the answer is 403 `BadEnvironmentKeyInToken`.
    public let environments: Set<SimulatedEnvironment>
    /// The topics that the key may push to.
    public let scope: Scope
    let key: KeyObject

    /// Creates a key from PEM.
    ///
    /// - Parameters:
    ///   - pem: The text of the `.p8` file. Its public key is enough, because the simulator uses nothing else.
    ///   - keyID: Ten characters.
    ///   - teamID: Ten characters.
    ///   - environments: Both by default.
    ///   - scope: Every topic of the team by default.
    /// - Throws: `invalidCredential` if the text contains no unencrypted EC key on P-256.
    public init(
        pem: String, keyID: String, teamID: String,
        environments: Set<SimulatedEnvironment> = Set(SimulatedEnvironment.allCases), scope: Scope = .team
    ) throws(SimulatorError) {
        guard let key = KeyObject(pem: pem) else {
            throw SimulatorError(
                .invalidCredential, "The signing key is not PEM, or is encrypted: give the text of a .p8 file.")
        }
        guard key.isP256 else {
            throw SimulatorError(
                .invalidCredential, "The signing key is not an EC key on P-256, which APNs requires for ES256.")
        }
        self.keyID = keyID
        self.teamID = teamID
        self.environments = environments
        self.scope = scope
        self.key = key
    }

    /// Whether a connection that began with this key may also use `other`. Keys for whole teams may be combined; a key
    /// for topics only with itself and its related key.
    func isRelated(to other: ProviderKey) -> Bool {
        if keyID == other.keyID { return true }
        switch (scope, other.scope) {
        case (.team, .team): return true
        case (.topics(_, let related), .topics): return related == other.keyID
        case (.team, .topics), (.topics, .team): return false
        }
    }

    /// Whether the key may push to this topic.
    func covers(_ topic: Octets) -> Bool {
        guard case .topics(let topics, _) = scope else { return true }
        let topic = topic.text
        return topics.contains { topic == $0 || topic.hasPrefix($0 + ".") }
    }
}
