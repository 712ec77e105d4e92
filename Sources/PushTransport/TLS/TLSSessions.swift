import CPushOpenSSL
import Glibc
import PushLocking

/// An `SSL_SESSION`: what a later handshake with the same server can go on from.
final class TLSSession: @unchecked Sendable {
    // Sendable, because OpenSSL changes no session that it has handed out, and counts references atomically.
    let pointer: OpaquePointer
    /// Until when the server's certificate need not be looked at again, in seconds since 1970.
    let trustedUntil: Int64

    /// Takes over one reference.
    init(owning pointer: OpaquePointer, trustedUntil: Int64) {
        self.pointer = pointer
        self.trustedUntil = trustedUntil
    }

    deinit { SSL_SESSION_free(pointer) }

    /// A ticket of TLS 1.3 is used once, so that nobody can tell two connections to be one client's (RFC 8446, C.4).
    var isForOneUse: Bool { SSL_SESSION_get_protocol_version(pointer) >= TLS1_3_VERSION }

    /// By the clock that OpenSSL goes by, too.
    var isFresh: Bool {
        let now = Int64(time(nil))
        let end = Int64(SSL_SESSION_get_time(pointer)) + Int64(SSL_SESSION_get_timeout(pointer))
        return now < trustedUntil && now < end && SSL_SESSION_is_resumable(pointer) == 1
    }
}

/// The sessions of one context, one for each host: a connection has its latest in hand anyway, so they cost memory only
/// while there is no connection.
final class TLSSessions: Sendable {
    static let limit = 8
    /// After so many seconds at most a server's certificate is verified anew.
    static let trustedFor: Int64 = 24 * 60 * 60

    /// The latest one stands last.
    private let kept = Locked<[(host: String, session: TLSSession)]>([])

    var count: Int { kept.withLock(\.count) }

    /// In place of an earlier one of that host; beyond the limit, of the host that was silent for the longest time.
    func keep(_ session: TLSSession, for host: String) {
        // What is let go is freed behind the lock.
        var old: [(host: String, session: TLSSession)] = []
        kept.withLock { kept in
            old = kept.filter { $0.host == host }
            kept.removeAll { $0.host == host }
            kept.append((host, session))
            if kept.count > Self.limit { old.append(kept.removeFirst()) }
        }
        old.removeAll()
    }

    /// The session for the next handshake, if there is one; one that is good for one use is gone from here.
    func take(for host: String) -> TLSSession? {
        let found = kept.withLock { kept -> TLSSession? in
            guard let index = kept.firstIndex(where: { $0.host == host }) else { return nil }
            let session = kept[index].session
            if session.isForOneUse || !session.isFresh { kept.remove(at: index) }
            return session
        }
        return found?.isFresh == true ? found : nil
    }

    /// What was begun with a session of this host came to nothing.
    func forget(_ host: String) {
        var old: [(host: String, session: TLSSession)] = []
        kept.withLock { kept in
            old = kept.filter { $0.host == host }
            kept.removeAll { $0.host == host }
        }
        old.removeAll()
    }
}
