/// Who uses a `TLSTransport`. All calls come on the transport's queue, never from inside a call to the transport; each
/// may itself call `write`, `flush`, `close` and `abort`.
package protocol TransportDelegate: AnyObject {
    /// The handshake is done, certificate and host name are verified, HTTP/2 is agreed on.
    func transportEstablished(_ transport: TLSTransport)
    /// Plaintext arrived; the pointer is valid during the call.
    func transport(_ transport: TLSTransport, received plaintext: UnsafeRawBufferPointer)
    /// The socket was read until empty: the moment to answer and flush. Once a burst, also once after the handshake.
    func transportDrained(_ transport: TLSTransport)
    /// `room` grew from 0.
    func transportHasRoom(_ transport: TLSTransport)
    /// The link is gone; exactly once, the last call, and not after `close` or `abort`.
    ///
    /// - Parameter error: nil if the peer closed in order, with close_notify.
    func transport(_ transport: TLSTransport, closed error: TransportError?)
}
