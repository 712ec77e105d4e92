/// The answer to one request.
package struct Response: Sendable, Hashable {
    package var stream: StreamID
    /// What the caller gave to `submit`.
    package var tag: Int
    /// 200…599.
    package var status: Int
    package var headers: HeaderBlock
    package var body: [UInt8]
    /// False if the stream or the session ended early, or headers or body were cut at a bound. The status holds anyway.
    package var isComplete: Bool
}
