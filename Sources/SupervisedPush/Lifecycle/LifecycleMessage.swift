import FoundationEssentials

/// What happens to a connection, as its owner and its subscribers see it in their mailboxes.
///
/// Messages of one connection arrive in the order in which things happened. A mailbox that is full loses the newest and
/// then says how many with `overflowed`.
@nonexhaustive public enum LifecycleMessage: MailboxMessage {
    /// The first message to a subscriber: where the connection stands now. Later messages tell what changed since.
    case current(phase: ConnectionPhase, pid: ProcessID, generation: Int)

    /// A link is up and pushes flow: TLS done, the peer's SETTINGS here. Sent on the first connect, too.
    ///
    /// `generation` counts the links of this process: 1, 2, 3, without gaps. It does not promise that the link still
    /// stands when you read this.
    case connectionUp(pid: ProcessID, name: String?, generation: Int)

    /// There is no link, and the next attempt to connect begins after `delay`: once for a lost link, once per failed
    /// attempt. `attempt` counts from 1 and starts anew after a link that was useful.
    ///
    /// Pushes wait meanwhile. Do not count on the delay to the millisecond: it has jitter. If the layer of `cause` is
    /// `credential`, a key, certificate or provider token could not be loaded, and the next attempt loads it again.
    case reconnecting(pid: ProcessID, name: String?, attempt: Int, delay: Duration, cause: LinkFailure)

    /// A link takes no more pushes: its last streams may finish, for 60 s at most, while its successor takes over.
    ///
    /// `reason` is the peer's word for it, if it gave one: in its GOAWAY, or by refusing the link's provider token, for
    /// example `ExpiredProviderToken`. `stalled` if it answers PINGs but no pushes; `stream numbers used up`; nil also where
    /// a successor has taken over by choice.
    case draining(pid: ProcessID, name: String?, generation: Int, reason: String?)

    /// A successor was wanted for a link that still works, and could not be dialled: pushes go on over the old link, and the
    /// next attempt begins after `delay`. `attempt` counts from 1 for each replacement.
    case replacementFailed(pid: ProcessID, name: String?, attempt: Int, delay: Duration, cause: LinkFailure)

    /// APNs refuses the credential, and no retry helps: a certificate that is not valid or belongs to the other environment, a key
    /// that is not the team's. What waited has been answered with `credentialRefused`, and every push that comes fails at the call
    /// with the same cause. What is in flight may still be answered; nothing is dialled. The name stays; `replaceCredential` ends it.
    ///
    /// The first push after `nextProbe` (1 s, doubled with each refusal up to ``ConnectionConfig/probeCeiling``) tries the credential again. It
    /// brings `connectionUp` if it gets through, and this message once more if it is refused; nothing if it ends
    /// otherwise, after which the next one may try as much later. No push, no probe: nothing happens by itself.
    ///
    /// `cause` says what APNs said and what to do. The links of refused probes have generations of their own, which then
    /// are missing from `connectionUp`.
    case suspended(pid: ProcessID, name: String?, cause: CredentialRefusal, nextProbe: Duration)

    /// The certificate in use expires at `notAfter`: told 30, 7 and 1 days ahead, once each, and at
    /// the start where one of these is passed already. `pid` and `name` are those of the connection or the pool.
    case credentialExpiring(pid: ProcessID, name: String?, notAfter: Date)

    /// Files that changed, or what a poll found, could not take the place of the credential in use, which stays: see
    /// ``CredentialReload/watching(every:)`` and ``CredentialReload/every(_:)``. `error` says why; it shows no secret.
    case credentialReloadFailed(pid: ProcessID, name: String?, error: ConnectError)

    /// What became of a push after it was reported `timedOut`.
    case lateResponse(LateResponse)

    /// Fire-and-forget pushes that ended without an answer, handed back to the connection's owner: what was unknown when a
    /// link was lost, timed out, was dropped for a later push, or was left when the connection was given up or closed with
    /// nobody waiting for the result of `close`.
    ///
    /// It takes as much of the mailbox's limit as it has pushes. What a full, closed or absent mailbox does not take is
    /// counted in the log.
    case handedBack(pid: ProcessID, name: String?, HandBack)

    /// So many feedback events were dropped, because the feedback handler is too slow.
    case feedbackOverflow(pid: ProcessID, name: String?, count: Int)

    /// A process ended, and why: once per pid. A named connection may be restarted under a new pid; not so after a
    /// `failure` with a ``CredentialRefusal``: APNs refuses the credential, and the configuration says ``OnRefusedCredential/giveUp``.
    case down(pid: ProcessID, reason: ExitReason)

    /// The connection ended without being closed: its process failed too often, or in a way that is not followed by a
    /// restart. Every waiting caller was answered; the name is free. Nothing follows.
    case givenUp(name: String?)

    /// So many messages were lost here, because this mailbox was full.
    case overflowed(_ count: Int)

    /// 1; for `handedBack` the number of its pushes.
    public var weight: Int {
        if case .handedBack(_, _, let pushes) = self { pushes.count } else { 1 }
    }
}
