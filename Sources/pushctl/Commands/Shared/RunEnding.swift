import PushTerminal
import SupervisedPush

/// Why a run ended early.
enum RunEnding: Sendable, Equatable {
    case signal(StopSignal)
    /// No link for `--max-outage`.
    case outage
    /// The server refuses the credential.
    case credentialRefused
    /// The server refused the sender of all pushes, or did not serve, for `--max-outage`.
    case refused(PushResponse.Subject)
    /// The library gave the connection up: its process failed again and again.
    case givenUp
    /// Rows can't be written any more.
    case outputLost
    /// The journal can't be written any more.
    case journalLost
}
