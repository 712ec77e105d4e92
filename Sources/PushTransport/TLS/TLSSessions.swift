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

/// The sessions of one context, one per host. A connection holds its latest session anyway, so they cost memory only
/// while there is no connection.
final class TLSSessions: Sendable {
    static let limit = 8
    /// A server's certificate is verified again after this many seconds at the latest.
    static let trustedFor: Int64 = 24 * 60 * 60

    /// The latest one is last.
    private let kept = Locked<[(host: String, session: TLSSession)]>([])

    var count: Int { kept.withLock(\.count) }

    /// Replaces an earlier session of that host. Beyond the limit, drops the session of the host that was idle longest.
    func keep(_ session: TLSSession, for host: String) {
        // Released outside the lock.
        var old: [(host: String, session: TLSSession)] = []
        kept.withLock { kept in
            old = kept.filter { $0.host == host }
            kept.removeAll { $0.host == host }
            kept.append((host, session))
            if kept.count > Self.limit { old.append(kept.removeFirst()) }
        }
        old.removeAll()
    }

    /// The session for the next handshake, if there is one. A session for one use is removed.
    func take(for host: String) -> TLSSession? {
        let found = kept.withLock { kept -> TLSSession? in
            guard let index = kept.firstIndex(where: { $0.host == host }) else { return nil }
            let session = kept[index].session
            if session.isForOneUse || !session.isFresh { kept.remove(at: index) }
            return session
        }
        return found?.isFresh == true ? found : nil
    }

    /// Removes the session of this host, because the connection that used it failed.
    func forget(_ host: String) {
        var old: [(host: String, session: TLSSession)] = []
        kept.withLock { kept in
            old = kept.filter { $0.host == host }
            kept.removeAll { $0.host == host }
        }
        old.removeAll()
    }
}
