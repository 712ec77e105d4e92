/// Why there is no report. No sentence has the token, or the path of an address.
package struct ExportError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Kind: Sendable, Equatable {
        /// Apple refuses the token.
        case tokenRefused
        /// Apple refuses the request, or could not make the report.
        case refused
        /// No answer, or none in time.
        case unavailable
        /// An answer that is not what Apple's documents say.
        case badAnswer
        /// The report is larger than allowed.
        case tooLarge
        /// The caller has stopped it.
        case stopped
    }

    package let kind: Kind
    /// What happened and what to do.
    package let sentence: String

    package init(_ kind: Kind, _ sentence: String) {
        self.kind = kind
        self.sentence = sentence
    }

    package var description: String { sentence }

    static let stopped = ExportError(.stopped, "It was stopped before there was a report.")
}
