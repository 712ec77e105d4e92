import ProcessRuntime
import PushHTTP2

/// Writes the header fields of a push into a list that is reused for the next push.
struct RequestEncoder: FieldSink {
    private(set) var fields = FieldList()
    private let authority: String
    /// The provider token in `fields`.
    private var token: IssuedToken?
    /// The template of `fields`, if its next push differs only in `:path` and `apns-id`.
    private var written: HeadTemplate?
    /// Where the values of these two are among those that vary; nil if there is no `apns-id`.
    private var path = 0..<0
    private var id: Range<Int>?

    init(authority: String) { self.authority = authority }

    /// Writes the fields of one request.
    ///
    /// - Parameter linkToken: The token of the link that sends it; nil with a certificate.
    /// - Returns: The provider token in it; nil if it has none of ours.
    @discardableResult
    mutating func encode(
        _ head: RequestHead, _ now: MonotonicInstant, linkToken: inout LinkToken?
    ) throws(UnsendablePush) -> IssuedToken? {
        let token = head.template.hasAuthorization ? nil : try linkToken?.toShow(now)
        if written === head.template, self.token === token, overwrite(head) { return token }
        written = nil
        self.token = token
        write(head)
        guard fields.listSize < ClientSession.maxFieldListSize else {
            throw UnsendablePush(.invalidRequest, "The push's header fields exceed 64 KiB: shorten them.")
        }
        // Only pushes to devices differ so little.
        if head.template.route == nil { written = head.template }
        return token
    }

    /// Frees the fields of the last push.
    mutating func rest() { self = RequestEncoder(authority: authority) }

    private mutating func write(_ head: RequestHead) {
        fields.removeAll()
        fields.append(":method", head.method)
        fields.append(":scheme", "https")
        fields.append(":authority", authority)
        head.visit(&self)
        let end = fields.varyingCount
        path = 0..<head.pathLength
        id = head.apnsID == nil ? nil : end - APNSID.textLength..<end
        if let own = head.template.authorization {
            own.headerValue.withUnsafeBytes { fields.append("authorization", bytes: $0, indexing: .never) }
        } else if let token {
            // It repeats until it is renewed, and APNs allows it in the table.
            token.headerValue.withUnsafeBytes { fields.append("authorization", bytes: $0, indexing: .incremental) }
        }
    }

    /// Replaces what differs between two pushes of one template. False if that is impossible because a value has
    /// another length.
    private mutating func overwrite(_ head: RequestHead) -> Bool {
        guard head.pathLength == path.count, (head.apnsID == nil) == (id == nil) else { return false }
        if let id, let apnsID = head.apnsID { fields.overwriteVarying(id) { apnsID.write(into: $0) } }
        fields.overwriteVarying(path) { head.writePath(into: $0) }
        return true
    }

    mutating func field(_ name: StaticString, _ value: UnsafeRawBufferPointer, indexing use: TableUse) {
        fields.append(
            name, bytes: value, indexing: use == .never ? .without : Self.indexing(use), varies: use != .incremental)
    }

    mutating func field(_ field: RequestHeaders.Field, indexing use: TableUse) {
        // What the caller's own fields contain is not known to be harmless in a table.
        fields.append(name: field.name, value: field.value, indexing: Self.indexing(use))
    }

    private static func indexing(_ use: TableUse) -> FieldIndexing {
        switch use {
        case .incremental: .incremental
        case .firstOnly: .firstOnly
        case .never: .never
        }
    }
}
