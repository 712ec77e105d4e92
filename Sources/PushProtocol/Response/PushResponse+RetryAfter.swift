extension PushResponse {
    /// How long the server asks to wait before the request is sent again: its `Retry-After` (RFC 9110, section 10.2.3),
    /// a number of seconds or a date. Nil if there is none or it is neither; zero for a past date.
    ///
    /// - Parameter wallClock: The time of the answer, in milliseconds since 1970 UTC. Called only for a date.
    package func retryAfter(_ wallClock: () -> Int64) -> Duration? {
        guard let text = headers["retry-after"], !text.isEmpty else { return nil }
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // More than 32 bits of seconds is too long for any caller.
            return .seconds(UInt32(text) ?? .max)
        }
        guard let date = HTTPDate.seconds(text) else { return nil }
        return .milliseconds(max(0, date * 1_000 - wallClock()))
    }
}
