import CPushOpenSSL
import Glibc
import PushLocking

/// An `SSL_SESSION`, which a later handshake with the same server can resume.
final class TLSSession: @unchecked Sendable {
    // Sendable: OpenSSL never changes a session that it has handed out, and its reference count is atomic.
    let pointer: OpaquePointer
    /// Until when the server's certificate need not be verified again, in seconds since 1970.
    let trustedUntil: Int64

    /// Takes ownership of one reference.
    init(owning pointer: OpaquePointer, trustedUntil: Int64) {
        self.pointer = pointer
        self.trustedUntil = trustedUntil
    }

    deinit { SSL_SESSION_free(pointer) }

    /// A ticket of TLS 1.3 is used only once, so that observers cannot link two connections to one client (RFC 8446,
    /// C.4).
    var isForOneUse: Bool { SSL_SESSION_get_protocol_version(pointer) >= TLS1_3_VERSION }

    /// Uses the clock that OpenSSL uses.
    var isFresh: Bool {
        let now = Int64(time(nil))
        let end = Int64(SSL_SESSION_get_time(pointer)) + Int64(SSL_SESSION_get_timeout(pointer))
        return now < trustedUntil && now < end && SSL_SESSION_is_resumable(pointer) == 1
    }
}

/// The latest sessions of one context.
///
/// Each ticket of TLS 1.3 serves one connection, so there are many for a host: then a pool or a thousand connections
/// that dial again resume, which takes half the processor time, and share the server's certificate in memory. A session
/// for more than one use replaces the earlier one of its host.
final class TLSSessions: Sendable {
    /// A session has about 1 KiB, and a certificate of about 5 KiB that it shares with those that resumed it.
    static let limit = 256
    /// A server's certificate is verified again after this many seconds at the latest.
    static let trustedFor: Int64 = 24 * 60 * 60

    /// The latest one is last.
    private let kept = Locked<[(host: String, session: TLSSession)]>([])

    var count: Int { kept.withLock(\.count) }

    /// Keeps a session for the next handshake with that host. Beyond the limit, drops the oldest session of all.
    func keep(_ session: TLSSession, for host: String) {
        // Released outside the lock.
        var old: [(host: String, session: TLSSession)] = []
        kept.withLock { kept in
            if !session.isForOneUse { old = Self.removeAll(of: host, from: &kept) }
            kept.append((host, session))
            if kept.count > Self.limit { old.append(kept.removeFirst()) }
        }
        old.removeAll()
    }

    /// The latest session with that host, if there is one that is still valid. A session for one use is removed.
    func take(for host: String) -> TLSSession? {
        var old: [(host: String, session: TLSSession)] = []
        let found = kept.withLock { kept -> TLSSession? in
            guard let index = kept.lastIndex(where: { $0.host == host }) else { return nil }
            let session = kept[index].session
            // Most of those before it are older.
            guard session.isFresh else {
                old = Self.removeAll(of: host, from: &kept)
                return nil
            }
            if session.isForOneUse { kept.remove(at: index) }
            return session
        }
        old.removeAll()
        return found
    }

    /// Removes the sessions of this host, because a connection that used one failed.
    func forget(_ host: String) {
        var old = kept.withLock { Self.removeAll(of: host, from: &$0) }
        old.removeAll()
    }

    private static func removeAll(
        of host: String, from kept: inout [(host: String, session: TLSSession)]
    ) -> [(host: String, session: TLSSession)] {
        let removed = kept.filter { $0.host == host }
        kept.removeAll { $0.host == host }
        return removed
    }
}
