/// The names a CSV column or an NDJSON member may have.
package enum RecordField: String, CaseIterable, Sendable {
    case token
    case topic
    case collapseID = "collapse_id"
    case apnsID = "apns_id"
    case expiration
    case priority
    case pushType = "push_type"
    case payload
}
