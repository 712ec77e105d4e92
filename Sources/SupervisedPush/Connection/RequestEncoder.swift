import ProcessRuntime
import PushHTTP2

/// Writes the header fields of a push into a list that is reused for the next push.
///
/// APNs asks providers to spare its header table. Fields whose values change from push to push are therefore indexed
/// once per link, so that the table contains the name, and never again.
struct RequestEncoder: FieldSink {
    private(set) var fields = FieldList()
    private let authority: String
    /// The table's contents when `fields` were written.
    private var indexed = IndexedNames()
    /// The provider token in `fields`.
    private var token: IssuedToken?
    /// The template of `fields`, if its next push differs only in `:path` and `apns-id`.
    private var written: HeadTemplate?
    /// The position of `apns-id` in `fields`; nil if it is not there.
    private var idPosition: Int?

    private static let pathPosition = 3

    init(authority: String) { self.authority = authority }

    /// Encodes one request for a link. If it throws, the link's table is unchanged.
    ///
    /// - Returns: The provider token in it; nil if it has none of ours.
    @discardableResult
    mutating func encode(
        _ head: RequestHead, _ now: MonotonicInstant, _ link: inout LinkHeaders
    ) throws(UnsendablePush) -> IssuedToken? {
        let token = head.template.hasAuthorization ? nil : try link.token?.toShow(now)
        if written === head.template, self.token === token, indexed == link.indexed, overwrite(head) { return token }
        written = nil
        indexed = link.indexed
        self.token = token
        write(head)
        guard fields.listSize < ClientSession.maxFieldListSize else {
            throw UnsendablePush(.invalidRequest, "The push's header fields exceed 64 KiB: shorten them.")
        }
        // A name that was indexed for the first time is not indexed with the next push. Only pushes to devices differ
        // so little.
        if indexed == link.indexed, head.template.route == nil { written = head.template }
        link.indexed = indexed
        return token
    }

    private mutating func write(_ head: RequestHead) {
        fields.removeAll()
        fields.append(":method", head.method)
        fields.append(":scheme", "https")
        fields.append(":authority", authority)
        head.visit(&self)
        idPosition = head.apnsID == nil ? nil : fields.count - 1
        if let own = head.template.authorization {
            own.headerValue.withUnsafeBytes { fields.append("authorization", bytes: $0, .never) }
        } else if let token {
            token.headerValue.withUnsafeBytes { fields.append("authorization", bytes: $0, .never) }
        }
    }

    /// Replaces what differs between two pushes of one template. False if that is impossible because a value has
    /// another length.
    private mutating func overwrite(_ head: RequestHead) -> Bool {
        switch (head.apnsID, idPosition) {
        case (nil, nil): break
        case (let id?, let position?):
            guard fields.overwriteValue(at: position, count: APNSID.textLength, { id.write(into: $0) }) else {
                return false
            }
        case (nil, _?), (_?, nil): return false
        }
        return fields.overwriteValue(at: Self.pathPosition, count: head.pathLength) { head.writePath(into: $0) }
    }

    mutating func field(
        _ name: StaticString, _ value: UnsafeRawBufferPointer, _ indexing: TableUse
    ) {
        switch indexing {
        case .incremental: fields.append(name, bytes: value, .incremental)
        case .never: fields.append(name, bytes: value, .never)
        case .firstOnly: fields.append(name, bytes: value, indexed.insertFirst(name) ? .incremental : .never)
        }
    }

    mutating func field(_ field: RequestHeaders.Field, _ indexing: TableUse) {
        fields.append(name: field.name, value: field.value, indexing == .incremental ? .incremental : .never)
    }
}
