import PushTerminal

/// The pushes of one test among several that run at once: by topic, token prefix or key. All conditions that are given
/// must hold. A push that carries its name in the header `x-push-session` belongs to it as well.
struct PushSession: Sendable, Hashable {
    let name: String
    var topic: String?
    var token: String?
    var keyID: String?

    init(name: String, topic: String? = nil, token: String? = nil, keyID: String? = nil) {
        self.name = name
        self.topic = topic
        self.token = token?.lowercased()
        self.keyID = keyID
    }

    func covers(_ push: InboxPush) -> Bool { fits(push) || isNamed(by: push) }

    private func fits(_ push: InboxPush) -> Bool {
        guard topic != nil || token != nil || keyID != nil else { return false }
        if let topic, push.topic != topic { return false }
        if let token, push.deviceToken?.lowercased().hasPrefix(token) != true { return false }
        return keyID == nil || push.keyID == keyID
    }

    private func isNamed(by push: InboxPush) -> Bool {
        let line = Array("x-push-session: \(name)".utf8)
        return push.headerLines.split(separator: ASCII.lineFeed).contains { $0.elementsEqual(line) }
    }
}

/// The sessions that are known.
struct SessionBook: Sendable {
    /// How many there may be.
    static let most = 1_000

    private(set) var sessions: [String: PushSession] = [:]

    /// Adds a session, or replaces the one of this name. False if there are too many.
    mutating func put(_ session: PushSession) -> Bool {
        guard sessions[session.name] != nil || sessions.count < Self.most else { return false }
        sessions[session.name] = session
        return true
    }

    mutating func remove(_ name: String) -> Bool { sessions.removeValue(forKey: name) != nil }

    mutating func removeAll() { sessions = [:] }
}
