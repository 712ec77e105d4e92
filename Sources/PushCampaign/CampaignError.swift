import FoundationEssentials
import PushProtocol
import PushTerminal

/// Why a campaign could not run, or ended before its last record.
///
/// Each record that was read has its row before the error is thrown. The description says what is wrong, where, and what to
/// do. It contains no key, device token or payload.
public struct CampaignError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    @nonexhaustive
    public enum Code: Hashable, Sendable {
        /// The configuration or the content cannot be used; nothing was pushed.
        case configuration
        /// The records cannot be read, or one of them is not valid and ``Campaign/Configuration/isStrict`` is set.
        case records
        /// A file cannot be written: the outcomes, the list of unregistered tokens, or the journal.
        case files
        /// No link was up for ``Campaign/Configuration/maxOutage``, or APNs did not serve for that time.
        case outage
        /// APNs refuses the credential, or has refused the sender of all pushes for ``Campaign/Configuration/maxOutage``.
        case refused
        /// The connection was closed, or given up.
        case closed
        /// The task that takes the rows was cancelled.
        case cancelled
    }

    /// What kind of failure it is.
    public let code: Code
    /// What is wrong, where, and what to do.
    public let description: String

    init(_ code: Code, _ description: String) {
        (self.code, self.description) = (code, description)
    }

    /// - Parameter unreadable: What it is if something cannot be read.
    init(_ error: CommandError, unreadable: Code = .records) {
        let code: Code =
            switch error.status {
            case .input: unreadable
            case .configuration, .unknown: .files
            default: .configuration
            }
        self.init(code, error.message)
    }

    /// Nil if the end was asked for.
    init?(_ ending: RunEnding) {
        switch ending {
        case .stopped: return nil
        case .outage: self.init(.outage, "No link was up for the longest outage.")
        case .refused(.sender): self.init(.refused, "APNs refused the sender of all pushes for the longest outage.")
        case .refused: self.init(.outage, "APNs did not serve for the longest outage.")
        case .credentialRefused: self.init(.refused, "APNs refuses the credential.")
        case .givenUp: self.init(.closed, "The connection ended before the campaign.")
        case .outputLost: self.init(.files, "Rows cannot be written any more.")
        case .journalLost: self.init(.files, "The journal cannot be written any more.")
        }
    }
}

extension CampaignError: LocalizedError {
    /// The same as ``description``.
    public var errorDescription: String? { description }
}
