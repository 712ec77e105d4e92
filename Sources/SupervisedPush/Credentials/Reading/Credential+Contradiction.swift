import PushProtocol

extension Credential {
    /// What contradicts itself in a signing key's ids, as a sentence; nil if nothing does. No error, because a file may
    /// have any name.
    package var contradiction: String? {
        guard case .token(let source, let given, let teamID, _) = kind else { return nil }
        let named = source.path.flatMap { KeyFileName.keyID(in: $0) }.flatMap { $0.utf8.count == 10 ? $0 : nil }
        let keyID = given ?? named
        if let keyID, keyID == teamID {
            return
                "the key id and the team id are the same, \(keyID): Apple's developer portal shows the team id under "
                + "Membership"
        }
        guard let named, let given, given != named, let path = source.path else { return nil }
        if named == teamID {
            return "the team id \(teamID) is the key id in the name of \(path): are key id and team id swapped?"
        }
        let isCase = given.uppercased() == named.uppercased()
        return "the key id is \(given), but the name of \(path) has \(named): "
            + (isCase ? "Apple's ids have capital letters" : "is it another key?")
    }
}
