import HTTP2Session

/// Writes the header fields of a push into a list that is used again for the next one.
///
/// APNs asks providers to spare its header table: what differs from push to push is indexed once per link, so that the
/// table holds the name, and never again.
struct RequestEncoder: FieldSink {
    private(set) var fields = FieldList()
    private let authority: String
    private let tokens: TokenAuthority?
    private var authorization: [UInt8] = []
    /// The number of the provider token in use; 0 before the first, and with a certificate.
    private(set) var tokenIssue: UInt32 = 0
    private var authorizationChecked: MonotonicInstant?
    private var indexed = IndexedNames()

    init(authority: String, tokens: TokenAuthority?) {
        self.authority = authority
        self.tokens = tokens
    }

    /// Encodes one request; `indexed` is what the link's table holds already, and stays if it throws.
    mutating func encode(
        _ head: RequestHead, _ now: MonotonicInstant, _ indexed: inout IndexedNames
    ) throws(UnsendablePush) {
        fields.removeAll()
        fields.append(":method", "POST")
        fields.append(":scheme", "https")
        fields.append(":authority", authority)
        self.indexed = indexed
        head.visit(&self)
        if let own = head.authorization {
            own.headerValue.withUnsafeBytes { fields.append("authorization", bytes: $0, .never) }
        } else if let tokens {
            try refresh(tokens, now)
            authorization.withUnsafeBytes { fields.append("authorization", bytes: $0, .never) }
        }
        guard fields.listSize < ClientSession.maxFieldListSize else {
            throw UnsendablePush(.invalidRequest, "The push's header fields exceed 64 KiB: shorten them.")
        }
        indexed = self.indexed
    }

    mutating func field(
        _ name: StaticString, _ value: UnsafeRawBufferPointer, _ indexing: PushProtocol.FieldIndexing
    ) {
        switch indexing {
        case .incremental: fields.append(name, bytes: value, .incremental)
        case .never: fields.append(name, bytes: value, .never)
        case .firstOnly: fields.append(name, bytes: value, indexed.insertFirst(name) ? .incremental : .never)
        }
    }

    /// The authority is asked once a second, not for every push.
    private mutating func refresh(_ tokens: TokenAuthority, _ now: MonotonicInstant) throws(UnsendablePush) {
        if let checked = authorizationChecked, checked.duration(to: now) < .seconds(1) { return }
        let issued: TokenAuthority.Issued
        do { issued = try tokens.issued(now) } catch {
            throw UnsendablePush(.credentialRefused, "The provider token could not be signed: \(error)")
        }
        authorizationChecked = now
        guard issued.number != tokenIssue else { return }
        authorization = issued.token.headerValue
        tokenIssue = issued.number
    }

    /// Asks the authority before the next push.
    mutating func askForToken() { authorizationChecked = nil }
}

/// Which of the names that are indexed once per link have been.
struct IndexedNames {
    private var seen: UInt8 = 0

    /// True the first time a name is asked for.
    mutating func insertFirst(_ name: StaticString) -> Bool {
        // A bit each, told apart by their lengths: apns-id (7), apns-expiration (15), apns-collapse-id (16).
        let bit = UInt8(1) << ((name.utf8CodeUnitCount >> 2))
        defer { seen |= bit }
        return seen & bit == 0
    }
}
