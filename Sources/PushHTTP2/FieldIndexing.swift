/// How a field is written into the header block (RFC 7541 section 6.2).
package enum FieldIndexing: Sendable {
    /// With incremental indexing: later requests send the field, or its name, as a small number.
    case incremental
    /// Never indexed: the value is kept out of the dynamic tables of both ends and of every intermediary.
    case never
}
