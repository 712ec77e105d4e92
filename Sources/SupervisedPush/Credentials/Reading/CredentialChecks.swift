import PushProtocol
import PushTransport

/// Checks of a certificate that need no network.
extension Identity {
    /// Refuses a certificate that is not valid now, or is made only for the other environment.
    ///
    /// - Parameter now: Milliseconds since 1970.
    func check(for config: PushConnection.Configuration, atMilliseconds now: Int64) throws(ConnectError) {
        let seconds = now / 1_000
        if seconds > notAfter {
            throw ConnectError(
                .credential,
                "The certificate expired on \(UTCTime.text(notAfter)): make a new one in Apple's developer portal. "
                    + "If it should be valid, check this machine's clock, which says \(UTCTime.text(seconds)).")
        }
        if seconds < notBefore {
            throw ConnectError(
                .credential,
                "The certificate is valid from \(UTCTime.text(notBefore)), but this machine's clock says "
                    + "\(UTCTime.text(seconds)): check the clock.")
        }
        try check(config.appleEnvironment)
    }

    /// A certificate without either mark is not an Apple push certificate; APNs decides.
    private func check(_ environment: APNsEnvironment?) throws(ConnectError) {
        guard let environment, allowsDevelopment || allowsProduction else { return }
        let isAllowed = environment == .production ? allowsProduction : allowsDevelopment
        guard !isAllowed else { return }
        let own: APNsEnvironment = allowsProduction ? .production : .development
        throw ConnectError(
            .credential,
            "The certificate is only for the \(own) environment, but the connection goes to \(environment) "
                + "(\(environment.host)): connect with environment .\(own), or use a certificate for \(environment).")
    }
}

extension PushConnection.Configuration {
    /// The environment that is dialled, if it is Apple's: a host of your own decides for itself.
    fileprivate var appleEnvironment: APNsEnvironment? {
        guard var host = host?.lowercased() else { return environment }
        if host.hasSuffix(".") { host.removeLast() }
        switch host {
        case APNsEnvironment.production.host, APNsEnvironment.production.managementHost: return .production
        case APNsEnvironment.development.host, APNsEnvironment.development.managementHost,
            "api.development.push.apple.com":
            return .development
        default: return nil
        }
    }
}

/// Checks of a key's ids.
enum KeyIDs {
    static func check(keyID: String, teamID: String) throws(ConnectError) {
        try requireTenCharacters(keyID, what: "key id", hint: "Apple's developer portal shows it next to the key.")
        try requireTenCharacters(teamID, what: "team id", hint: "Apple's developer portal shows it under Membership.")
    }

    static func keyID(_ keyID: String?, source: ByteSource) throws(ConnectError) -> String {
        if let keyID { return keyID }
        if let path = source.path, let found = KeyFileName.keyID(in: path) { return found }
        throw ConnectError(
            .credential,
            "No key id is given, and the key's file name contains none: name the file AuthKey_<id>.p8, "
                + "or give the id.")
    }

    private static func requireTenCharacters(
        _ text: String, what: String, hint: String
    ) throws(ConnectError) {
        guard text.utf8.count == 10, text.utf8.allSatisfy({ isLetterOrDigit($0) }) else {
            throw ConnectError(.credential, "The \(what) \"\(text.prefix(40))\" is not ten letters and digits. \(hint)")
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
    }
}

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
