/// What becomes of a payload that is over its limit.
public enum PayloadFit: Hashable, Sendable {
    /// It stays as it is, and the push is refused with the code `.payloadTooLarge` before it is sent.
    case reject
    /// The body of its alert is cut at the end of a character and gets an ellipsis (…), so that as much as possible of it is
    /// left; spaces in front of the ellipsis go, too. Nothing else is ever cut.
    case truncateBody
}
