/// Follows what a simulator does, beside its ledger: the push inbox.
///
/// A request arrives here before its provider can see the answer. Calls come from the queues of the connections, those of
/// requests while the ledger is locked: they must be quick, and must not call the simulator.
package protocol SimulatorObserver: AnyObject, Sendable {
    /// Pushes of one burst were processed, in their order.
    func arrived(_ pushes: [ObservedPush])
    /// Broadcasts and requests about channels of one burst were processed, in their order.
    func arrived(_ requests: [Ledger.ChannelRecord])
    /// Something happened to a connection.
    func noted(_ event: ProviderEvent)
}

/// A push as an observer sees it: the ledger's record, and what only the checks know.
///
/// It holds the request as it came. A record of it is made when it is asked for, because most pushes are looked at by
/// nobody.
package struct ObservedPush: Sendable {
    private let whole: LedgerEntry.Whole
    private let connection: ConnectionID
    private let stream: Int32
    private let verdict: Verdict
    private let providerToken: Int?

    init(_ entry: LedgerEntry, _ whole: LedgerEntry.Whole, providerToken: Int?) {
        (connection, stream, verdict) = (entry.connection, entry.stream, entry.verdict)
        (self.whole, self.providerToken) = (whole, providerToken)
    }

    /// The push, with payload and headers.
    package func makeRecord() -> Ledger.Record {
        let request = whole.request
        let entry = LedgerEntry(
            connection: connection, stream: stream, token: request.deviceToken, message: request.messageID,
            verdict: verdict, whole: whole)
        return Ledger.Record(entry, whole, providerToken: providerToken)
    }

    /// When it was processed, in milliseconds since 1970.
    package var wallClock: Int64 { whole.wallClock }
    /// The status of its answer.
    package var status: Int { verdict.status }
    /// Why it was refused; nil if it was accepted.
    package var refusal: Refusal? { verdict.refusal }
    /// About how many bytes its payload and its header fields take.
    package var bytes: Int { whole.bytes }
    /// Who sent it; nil if no credential was genuine.
    package var sender: ProviderIdentity? { whole.sender }
    /// The `apns-id` of the answer. That of the request, if it was valid.
    package var answeredID: String { (whole.answeredID ?? whole.request.messageID)?.text ?? "" }
    /// The row of the order of checks that refused it; nil if it was accepted.
    package var refusedAt: Int? { verdict.refusal == nil ? nil : whole.refusedAt }
}

/// Something that happened to a connection.
package struct ProviderEvent: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// It was accepted, before TLS.
        case opened
        /// TLS is up.
        case established
        /// The simulator sent GOAWAY.
        case goAway(code: UInt32, lastStream: Int32, debugData: String)
        /// It ended, or was turned away.
        case closed
    }

    package let connection: ConnectionID
    package let kind: Kind
    /// When, in milliseconds since 1970.
    package let wallClock: Int64
}

/// Who a provider says it is, as far as that was proved.
package enum ProviderIdentity: Sendable, Hashable {
    /// A provider token with a good signature: its claims.
    case token(keyID: String, teamID: String, issuedAt: Double)
    /// A client certificate that the authority issued: of its subject the UID, which is the base topic, and the OU.
    case certificate(subjectUID: String?, teamID: String?)

    init(_ token: VerifiedToken) {
        self = .token(keyID: token.key.keyID, teamID: token.key.teamID, issuedAt: token.issuedAt)
    }
}
