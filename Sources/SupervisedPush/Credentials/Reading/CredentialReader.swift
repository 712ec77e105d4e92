import Logging
import ProcessRuntime
import PushLocking
import PushTransport

/// Turns credentials into the objects that connections use, once per credential: connections that share one also share
/// the token authority and the TLS context.
///
/// Credentials are identified by their digests. Unused ones are removed at a call a minute later, or when their number
/// has doubled. A token authority is also kept for as long as APNs would refuse another token of its key, so closing
/// and connecting again makes no new token.
final class CredentialReader: Sendable {
    private struct Context {
        var context: TLSContext
        let identity: Identity?
    }

    private struct State {
        var authorities: [Digest: TokenAuthority] = [:]
        var contexts: [Digest: Context] = [:]

        /// The number or the time from which to look for unused ones. Not at every call, because ten thousand
        /// connections may have a credential each.
        var crowd = 16
        var nextLook = MonotonicInstant(nanoseconds: .min)

        var count: Int { authorities.count + contexts.count }

        /// Removes what only this store holds. The caller holds what it is about to use.
        mutating func forgetUnused(_ now: MonotonicInstant) {
            guard count >= crowd || now >= nextLook else { return }
            // Each one is removed and added again: a copy of the dictionary would also hold it.
            for digest in Array(contexts.keys) {
                guard var entry = contexts.removeValue(forKey: digest) else { continue }
                if !isKnownUniquelyReferenced(&entry.context) { contexts[digest] = entry }
            }
            for digest in Array(authorities.keys) {
                guard var authority = authorities.removeValue(forKey: digest) else { continue }
                let isUnused = isKnownUniquelyReferenced(&authority) && authority.mayMint(now)
                if !isUnused { authorities[digest] = authority }
            }
            crowd = max(16, 2 * count)
            nextLook = now.advanced(by: .seconds(60))
        }
    }

    let time: any TimeSource
    /// Reads slow files outside of tasks.
    let files = FileReader()
    private let state = Locked(State())

    init(time: any TimeSource) { self.time = time }

    /// The number of its authorities and contexts.
    var count: Int { state.withLock(\.count) }

    /// Reads, parses and checks on the caller's thread.
    ///
    /// Bytes with a loader are not read; the credential's loader brings them.
    ///
    /// - Parameter again: Whether the files were read before, see `ByteSource.read`.
    func resolve(_ config: PushConnection.Configuration, again: Bool = false) throws(ConnectError) -> ResolvedCredential
    {
        let resolved = config.credential.hasLoader ? try unloaded(config) : try find(config, again: again)
        // While the result is held.
        state.withLock { $0.forgetUnused(time.now) }
        return resolved
    }

    /// Reads a new credential, on a thread that may block.
    func read(
        _ credential: Credential, trust: TrustRoots, for config: PushConnection.Configuration
    ) async throws(ConnectError) -> (source: CredentialSource, ResolvedCredential) {
        try await files.read { () throws(ConnectError) in
            // Before reading: a change during the read must be noticed.
            let source = CredentialSource(credential: credential, trust: trust)
            return (source, try self.resolve(config.reading(source)))
        }
    }

    /// Reads a credential in use again: its files on a thread that may block, or through its loader.
    func readAgain(
        _ reading: CredentialInUse.Reading, for config: PushConnection.Configuration, isPoll: Bool
    ) async throws(ConnectError) -> ResolvedCredential {
        if let loader = reading.loader { return try await loader.loadAgain() }
        // Warnings were logged the first time.
        let config = isPoll ? config.with { $0.watching.logger = nil } : config
        return try await files.read { () throws(ConnectError) in
            try self.resolve(config.reading(reading.source), again: true)
        }
    }

    private func find(_ config: PushConnection.Configuration, again: Bool) throws(ConnectError) -> ResolvedCredential {
        config.credential.warn(config.watching.logger)
        let trust = try TrustFiles(config.trust, again: again)
        switch config.credential.kind {
        case .token(let source, let keyID, let teamID, let sharedWindow):
            // The file first: if it is missing, its name is what to look at, whatever the ids are.
            let pem = try source.read("signing key", again: again)
            let keyID = try KeyIDs.keyID(keyID, source: source)
            try KeyIDs.check(keyID: keyID, teamID: teamID)
            if sharedWindow && !SigningKey.canSignAlike {
                config.watching.logger?.warning(
                    "provider tokens of several machines will differ: sharedWindow needs OpenSSL 3.2 or newer")
            }
            let authority = try Self.explained("signing key\(source.place)") { () throws(KeyError) in
                try self.authority(teamID: teamID, keyID: keyID, pem: pem, sharedWindow: sharedWindow)
            }
            let context = try context(trust, files: nil)
            return ResolvedCredential(
                context: context.context, authority: authority, identity: nil, isCertificate: false)
        case .tokens(let source):
            // Only with its loader, which `resolve` uses.
            throw ConnectError(.configuration, "Provider tokens from \(source.name) are not available here.")
        case .certificate, .pkcs12:
            let entry = try context(trust, files: IdentityFiles(config.credential, again: again))
            try entry.identity?.check(for: config, atMilliseconds: time.wallClockMilliseconds)
            return ResolvedCredential(
                context: entry.context, authority: nil, identity: entry.identity, isCertificate: true)
        }
    }

    /// The objects for a connection that uses the tokens of this issuer.
    func resolve(
        _ trust: TrustRoots, again: Bool, issuer: any TokenIssuer
    ) throws(ConnectError) -> ResolvedCredential {
        let context = try context(TrustFiles(trust, again: again), files: nil)
        return ResolvedCredential(context: context.context, authority: issuer, identity: nil, isCertificate: false)
    }

    private func unloaded(_ config: PushConnection.Configuration) throws(ConnectError) -> ResolvedCredential {
        if case .token(let source, let keyID, let teamID, _) = config.credential.kind {
            try KeyIDs.check(keyID: KeyIDs.keyID(keyID, source: source), teamID: teamID)
        }
        let context = try context(TrustFiles(config.trust), files: nil)
        return ResolvedCredential(
            context: context.context, authority: nil, identity: nil, isCertificate: config.credential.isCertificate,
            loader: CredentialLoader(config, reader: self), isLoaded: false)
    }

    private func authority(
        teamID: String, keyID: String, pem: [UInt8], sharedWindow: Bool
    ) throws(KeyError) -> TokenAuthority {
        let digest = try Digest(of: [Array(teamID.utf8), Array(keyID.utf8), pem, sharedWindow ? [1] : nil])
        return try state.withLock { (state) throws(KeyError) in
            if let authority = state.authorities[digest] { return authority }
            let key = try SigningKey(pem: pem)
            let authority = TokenAuthority(
                key: key, keyID: keyID, teamID: teamID, hasSharedWindow: sharedWindow, time: time)
            state.authorities[digest] = authority
            return authority
        }
    }

    private func context(_ trust: TrustFiles, files: IdentityFiles?) throws(ConnectError) -> Context {
        let digest = try Self.digest(trust.parts + (files?.parts ?? []))
        return try state.withLock { (state) throws(ConnectError) in
            if let entry = state.contexts[digest] { return entry }
            var identity: Identity?
            if let files { identity = try Self.explained("certificate\(files.place)") { try files.identity() } }
            let context = try Self.explained("trust bundle") { try trust.context(identity) }
            let entry = Context(context: context, identity: identity)
            state.contexts[digest] = entry
            return entry
        }
    }

    private static func digest(_ values: [[UInt8]?]) throws(ConnectError) -> Digest {
        try explained("credential") { try Digest(of: values) }
    }

    private static func explained<Value>(
        _ what: String, _ body: () throws -> Value
    ) throws(ConnectError) -> Value {
        do { return try body() } catch { throw ConnectError(.credential, "The \(what) can't be used: \(error)") }
    }
}

extension PushConnection.Configuration {
    /// The same configuration with another credential and other trust roots.
    fileprivate func reading(_ source: CredentialSource) -> Self {
        with {
            $0.credential = source.credential
            $0.trust = source.trust
        }
    }
}
