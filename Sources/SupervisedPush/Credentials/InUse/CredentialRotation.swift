import PushLocking

/// How another credential replaces the one in use while pushes flow.
///
/// It may come from a caller, from files that changed, or from a poll. It is read, then offered to one connection,
/// which dials with it (``ConnectionMachine/credentialOffered(_:)``), and is in use once a link is up with it. A pool's
/// other connections follow.
extension Destination {
    /// Returns once the credential is in use.
    ///
    /// - Parameter trust: Nil keeps the present roots.
    func replaceCredential(
        _ credential: Credential, trust: TrustRoots?, reader: CredentialReader
    ) async throws(ConnectError) {
        let trust = trust ?? credentials.source.trust
        let (source, resolved) = try await reader.read(credential, trust: trust, for: config)
        switch try await offer(resolved, from: .given(source)) {
        case .accepted, .unchanged, .outdated, .held: return
        case .failed(let cause): throw .replacement(noLink: cause)
        case .superseded: throw .replacement("Another one was given in the meantime.")
        case .closed: throw .ended()
        }
    }

    /// Reads the source of the credential in use again, and offers what has changed.
    ///
    /// - Parameter isPoll: Whether there is no sign of a change.
    func reloadCredential(isPoll: Bool, reader: CredentialReader) async -> CredentialReloadEnd {
        let reading = credentials.reading
        do throws(ConnectError) {
            let resolved = try await reader.readAgain(reading, for: config, isPoll: isPoll)
            let former = credentials.current.topics
            switch try await offer(resolved, from: .read(reading, isPoll: isPoll)) {
            case .accepted:
                warn(ofTopicsLostBy: former, to: resolved.topics)
                return .inUse
            case .unchanged: return .inUse
            case .outdated, .held, .superseded: return .later
            case .failed(let cause): return .failed(.replacement(noLink: cause))
            case .closed: return .failed(.ended())
            }
        } catch {
            return .failed(error)
        }
    }

    /// A file that was replaced by the certificate of another app is a mistake, more often than not.
    private func warn(ofTopicsLostBy former: CertificateTopics?, to current: CertificateTopics?) {
        guard let former, let current else { return }
        let lost = former.lost(to: current)
        if !lost.isEmpty { ConnectionLog(config.watching.logger, name: name).credentialLost(topics: lost) }
    }

    /// Has one connection try the credential.
    private func offer(
        _ credential: ResolvedCredential, from origin: CredentialInUse.Origin
    ) async throws(ConnectError) -> CredentialInUse.OfferEnd {
        let candidates = serving
        guard let entry = candidates.first(where: { $0.hub.phase == .up }) ?? candidates.first else {
            throw ConnectError(.notFound, "The pool has no connections any more.")
        }
        return await withHandOver { handOver in
            entry.tryCredential(credential, from: origin) { handOver.resume(returning: $0) }
        }
    }
}

/// How reading a credential again ended.
enum CredentialReloadEnd: Sendable {
    /// What was read is in use.
    case inUse
    /// It is not, and there is nothing to report: it is read again later.
    case later
    case failed(ConnectError)
}

extension ConnectionEntry {
    /// Offers the credential and tells the process. Without a process it is adopted at once, if one is certain to
    /// follow.
    fileprivate func tryCredential(
        _ credential: ResolvedCredential, from origin: CredentialInUse.Origin, caller: @escaping CredentialInUse.Caller
    ) {
        // The room knows of a refusal a moment before this connection's phase shows it.
        let isSuspended = refusal != nil
        let number = credentials.offer(
            credential, from: origin, at: memberNumber, isSuspended: isSuspended, caller: caller)
        guard let number else { return }
        switch life.stage {
        case .serving, .closing:
            life.tell(.credentialOffered(CredentialOffer(isCertificate: credential.isCertificate, number: number)))
        case .starting, .restarting: acceptCredential(number)
        case .between: break  // The supervisor decides.
        case .ending, .ended: declineCredential(number, end: .closed)
        }
    }

    /// The offer is in use: a pool's other connections show it from now on.
    func acceptCredential(_ number: Int) {
        // Callers that are told may push at once.
        room.renewCredential(by: holder)
        guard let followers = credentials.accept(number), let pool else { return }
        for member in pool.serving where followers.include(member.memberNumber) {
            if followers.isOther || member.hub.phase == .suspended { member.followCredential() }
        }
    }

    func declineCredential(_ number: Int, end: CredentialInUse.OfferEnd) {
        if credentials.decline(number, end: end) { followCredential() }
    }

    func resolveOffers(follows: Bool) {
        while let (number, isLatest) = credentials.offer(at: memberNumber) {
            if follows, isLatest { acceptCredential(number) } else { declineCredential(number, end: .closed) }
        }
    }

    /// The process adopts the credential in use; a successor would do so anyway.
    private func followCredential() {
        life.tell(.credentialOffered(CredentialOffer(isCertificate: credentials.current.isCertificate, isProven: true)))
    }
}

extension ConnectError {
    fileprivate static func replacement(noLink cause: LinkFailure) -> Self {
        .replacement("No link came up with it: \(cause.description)")
    }

    fileprivate static func ended() -> Self {
        Self(.notFound, "The connection ended before it could use the credential.")
    }
}
