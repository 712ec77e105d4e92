import CPushOpenSSL
import PushLocking

/// The root certificates that a client trusts.
package enum TrustAnchors: Sendable, Hashable {
    /// The system's store, which is read once and shared.
    case system
    /// The certificates of a file, PEM or a single one in DER, instead of the system's.
    case pem([UInt8])
}

/// An `X509_STORE`, shared by the contexts with the same trust, whatever their credentials. The system's roots take
/// about 831 KiB.
final class TrustStore: @unchecked Sendable {
    // Sendable: an X509_STORE has its own lock, and nothing is added to it after it is made.

    private struct Weak {
        weak var store: TrustStore?
    }

    private struct Known {
        /// Never released.
        var system: TrustStore?
        var stores: [Digest: Weak] = [:]
        /// The number of stores at which released ones are removed.
        var crowd = 16
    }

    private static let known = Locked(Known())

    let pointer: OpaquePointer

    private init() throws(KeyError) {
        OpenSSLSetup.once()
        guard let pointer = X509_STORE_new() else { throw TLSContext.unusable("OpenSSL has no memory for roots.") }
        self.pointer = pointer
    }

    deinit { X509_STORE_free(pointer) }

    /// The store with these roots; makes it if none is in use.
    ///
    /// - Parameter additional: Files of root certificates, in addition to `trust`.
    static func shared(_ trust: TrustAnchors, additional: [[UInt8]]) throws(KeyError) -> TrustStore {
        guard trust != .system || !additional.isEmpty else { return try system() }
        var own: [UInt8]?
        if case .pem(let bytes) = trust { own = bytes }
        let digest = try Digest(of: [own] + additional)
        return try known.withLock { (known) throws(KeyError) in
            if let store = known.stores[digest]?.store { return store }
            let store = try TrustStore()
            if let own { try store.add(own, what: "trust roots") } else { try store.addSystem() }
            for bundle in additional { try store.add(bundle, what: "additional trust roots") }
            known.stores[digest] = Weak(store: store)
            if known.stores.count >= known.crowd {
                known.stores = known.stores.filter { $0.value.store != nil }
                known.crowd = max(16, 2 * known.stores.count)
            }
            return store
        }
    }

    private static func system() throws(KeyError) -> TrustStore {
        try known.withLock { (known) throws(KeyError) in
            if let store = known.system { return store }
            let store = try TrustStore()
            try store.addSystem()
            known.system = store
            return store
        }
    }

    private func addSystem() throws(KeyError) {
        guard X509_STORE_set_default_paths(pointer) == 1 else {
            throw TLSContext.unusable("The system's trust store cannot be read. Install ca-certificates.")
        }
        ERR_clear_error()
    }

    private func add(_ bytes: [UInt8], what: String) throws(KeyError) {
        let bundle = try PEMBundle(pemOrDER: bytes, what: what)
        guard bundle.holdsCertificate else {
            throw KeyError(.noCertificate, "The \(what) file contains no certificate (-----BEGIN CERTIFICATE-----).")
        }
        defer { ERR_clear_error() }
        for root in bundle.certificates where !root.withPointer({ X509_STORE_add_cert(pointer, $0) == 1 }) {
            throw KeyError(.damaged, "The \(what) file contains a certificate that OpenSSL rejects.")
        }
    }
}
