/// A signing key the simulator knows: provider tokens signed with it are accepted.
public struct ProviderKey: Sendable {
    /// What a key may push to.
    public enum Scope: Sendable, Hashable {
        /// Every topic of its team.
        case team
        /// These topics and what is derived from them by a suffix (`com.example.app` covers `com.example.app.voip`). `related` is
        /// the id of the one other key that may be used on the same connection.
        case topics(Set<String>, related: String? = nil)
    }

    /// The ten characters APNs gives a key.
    public let keyID: String
    /// The ten characters of the team the key belongs to.
    public let teamID: String
    /// Where the key may be used; elsewhere the answer is 403 `BadEnvironmentKeyInToken`.
    public let environments: Set<SimulatedEnvironment>
    /// What the key may push to.
    public let scope: Scope
    let key: KeyObject

    /// A key from PEM.
    ///
    /// - Parameters:
    ///   - pem: The `.p8` file's text, or its public key alone, which is all the simulator uses.
    ///   - keyID: Ten characters.
    ///   - teamID: Ten characters.
    ///   - environments: Both by default.
    ///   - scope: Every topic of the team by default.
    /// - Throws: `invalidCredential` where the text holds no unencrypted EC key on P-256.
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
                .invalidCredential, "The signing key is not an EC key on P-256: APNs signs ES256 only.")
        }
        self.keyID = keyID
        self.teamID = teamID
        self.environments = environments
        self.scope = scope
        self.key = key
    }

    /// True where a connection opened with this key may go on with `other`: keys for whole teams go together, a key for topics goes with
    /// itself and its related key only.
    func isRelated(to other: ProviderKey) -> Bool {
        if keyID == other.keyID { return true }
        switch (scope, other.scope) {
        case (.team, .team): return true
        case (.topics(_, let related), .topics): return related == other.keyID
        case (.team, .topics), (.topics, .team): return false
        }
    }

    /// True where the key may push to this topic.
    func covers(_ topic: Octets) -> Bool {
        guard case .topics(let topics, _) = scope else { return true }
        let topic = topic.text
        return topics.contains { topic == $0 || topic.hasPrefix($0 + ".") }
    }
}
