import SupervisedPush

/// Why a run ended early.
package enum RunEnding: Sendable, Equatable {
    /// It was asked to.
    case stopped
    /// No link for the longest outage.
    case outage
    /// The server refuses the credential.
    case credentialRefused
    /// The server refused the sender of all pushes, or did not serve, for the longest outage.
    case refused(PushResponse.Subject)
    /// The library gave the connection up: its process failed again and again.
    case givenUp
    /// Rows can't be written any more.
    case outputLost
    /// The journal can't be written any more.
    case journalLost
}
