/// A text that cannot be the id of a broadcast channel.
public struct InvalidChannelID: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong with it.
    public enum Problem: Hashable, Sendable {
        /// It has no characters.
        case empty
        /// It has more than ``ChannelID/maxBytes``.
        case tooLong(bytes: Int)
        /// The byte at this offset is none of standard base64.
        case notBase64(offset: Int)
    }

    /// What is wrong with it.
    public let problem: Problem

    init(_ problem: Problem) { self.problem = problem }

    /// What is wrong and what to do, in one sentence.
    public var description: String {
        switch problem {
        case .empty: "the channel id is empty: give the one that APNs made when the channel was created"
        case .tooLong(let bytes):
            "the channel id has \(bytes) bytes, and no id has more than \(ChannelID.maxBytes)"
        case .notBase64(let offset):
            "the channel id has a character at \(offset) that standard base64 has not: give it as APNs made it, "
                + "with + and / and without percent signs"
        }
    }
}
