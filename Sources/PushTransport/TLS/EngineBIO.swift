import CPushOpenSSL

/// The two sides of an engine: ciphertext that OpenSSL reads, and ciphertext that it wrote.
///
/// Replaces OpenSSL's memory BIO: it reads straight from the buffer of the socket read, and an idle connection keeps no
/// buffer.
final class EngineBuffers {
    /// Ciphertext that OpenSSL has not read yet. Borrowed; valid during one `TLSEngine.feed`.
    var incoming = UnsafeRawBufferPointer(start: nil, count: 0)
    var outgoing = ByteQueue()
    /// The context's callbacks find the engine here. Unowned, because the engine holds these buffers and calls OpenSSL
    /// only while it lives.
    unowned(unsafe) var engine: TLSEngine?
}

enum EngineBIO {
    /// Nil only if out of memory.
    // nonisolated(unsafe): a BIO_METHOD is complete before it is shared and never changes afterwards.
    private nonisolated(unsafe) static let method: OpaquePointer? = makeMethod()

    /// A BIO over `buffers`, which must outlive it.
    static func make(_ buffers: EngineBuffers) -> OpaquePointer? {
        guard let method, let bio = BIO_new(method) else { return nil }
        BIO_set_data(bio, Unmanaged.passUnretained(buffers).toOpaque())
        BIO_set_init(bio, 1)
        return bio
    }

    /// The engine that owns these buffers; nil for a server.
    static func engine(of ssl: OpaquePointer) -> TLSEngine? { buffers(SSL_get_rbio(ssl))?.engine }

    private static func makeMethod() -> OpaquePointer? {
        guard let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "engine") else { return nil }
        BIO_meth_set_read(method, readIncoming)
        BIO_meth_set_write(method, appendOutgoing)
        BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        return method
    }
}

private func buffers(_ bio: OpaquePointer?) -> EngineBuffers? {
    BIO_get_data(bio).map { Unmanaged<EngineBuffers>.fromOpaque($0).takeUnretainedValue() }
}

private func readIncoming(_ bio: OpaquePointer?, _ target: UnsafeMutablePointer<CChar>?, _ size: Int32) -> Int32 {
    cpush_bio_clear_retry(bio)
    guard let target, let buffers = buffers(bio), size > 0 else { return -1 }
    let count = min(Int(size), buffers.incoming.count)
    guard count > 0, let source = buffers.incoming.baseAddress else {
        cpush_bio_set_retry_read(bio)
        return -1
    }
    UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: count)
    buffers.incoming = UnsafeRawBufferPointer(rebasing: buffers.incoming.dropFirst(count))
    return Int32(count)
}

private func appendOutgoing(_ bio: OpaquePointer?, _ source: UnsafePointer<CChar>?, _ size: Int32) -> Int32 {
    cpush_bio_clear_retry(bio)
    guard let source, let buffers = buffers(bio), size > 0 else { return -1 }
    buffers.outgoing.append(UnsafeRawBufferPointer(start: source, count: Int(size)))
    return size
}
