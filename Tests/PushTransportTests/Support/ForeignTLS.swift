import CPushOpenSSL
import Dispatch
import Testing

@testable import PushTransport

/// A server that is OpenSSL and nothing else, for what our engine would never do.
final class ForeignTLS: @unchecked Sendable {
    // Sendable, because everything in it is touched on `queue` only.
    private let queue = DispatchQueue(label: "foreign")
    private let channel: MemoryChannel
    private let context: TLSContext
    private let ssl: OpaquePointer
    private let incoming = BIO_new(BIO_s_mem())
    private let outgoing = BIO_new(BIO_s_mem())
    private var isEstablished = false
    private var plaintext: [UInt8] = []
    private let established = DispatchSemaphore(value: 0)

    init(_ channel: MemoryChannel, identity: Identity? = nil, onlyTLS12: Bool = false) throws {
        self.channel = channel
        context = try TLSContext.server(identity: identity ?? TestPKI.server.identity())
        ssl = try #require(SSL_new(context.pointer))
        SSL_clear_options(ssl, 1 << 30)  // SSL_OP_NO_RENEGOTIATION, a macro
        if onlyTLS12 { SSL_ctrl(ssl, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(TLS1_2_VERSION), nil) }
        SSL_set_bio(ssl, incoming, outgoing)
        SSL_set_accept_state(ssl)
        queue.sync { channel.activate(on: queue) { [weak self] _ in self?.pump() } }
    }

    deinit { SSL_free(ssl) }

    /// Waits for the handshake's end.
    func waitUntilEstablished() { #expect(established.wait(timeout: .now() + .seconds(120)) == .success) }

    /// Lets a test use the connection; what that makes is written.
    func use(_ body: (OpaquePointer) -> Void) {
        queue.sync {
            ERR_clear_error()
            body(ssl)
            ERR_clear_error()
            send()
        }
    }

    /// Lets a test use the connection; what that makes is for the test to write.
    func make(_ body: (OpaquePointer) -> Void) -> [UInt8] {
        queue.sync {
            ERR_clear_error()
            body(ssl)
            ERR_clear_error()
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while case let count = BIO_read(outgoing, &buffer, Int32(buffer.count)), count > 0 {
                bytes += buffer.prefix(Int(count))
            }
            return bytes
        }
    }

    /// What has been read of the client, decrypted.
    var received: [UInt8] { queue.sync { plaintext } }

    func write(_ bytes: [UInt8]) { use { _ = SSL_write($0, bytes, Int32(bytes.count)) } }

    /// Writes past TLS.
    func writeRaw(_ bytes: [UInt8]) { queue.sync { bytes.withUnsafeBytes { _ = channel.write($0) } } }

    private func pump() {
        ERR_clear_error()
        defer { ERR_clear_error() }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        loop: while true {
            switch buffer.withUnsafeMutableBytes({ channel.read(into: $0) }) {
            case .bytes(let count): BIO_write(incoming, buffer, Int32(count))
            default: break loop
            }
        }
        if !isEstablished, SSL_do_handshake(ssl) == 1 {
            isEstablished = true
            established.signal()
        }
        while case let count = SSL_read(ssl, &buffer, Int32(buffer.count)), count > 0 {
            plaintext += buffer.prefix(Int(count))
        }
        send()
    }

    private func send() {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = BIO_read(outgoing, &buffer, Int32(buffer.count))
            guard count > 0 else { return }
            buffer.prefix(Int(count)).withUnsafeBytes { _ = channel.write($0) }
        }
    }
}
