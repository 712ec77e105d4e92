/// How a header field should be compressed (HPACK, RFC 7541 section 6.2), by the advice of Apple's page.
package enum TableUse: Hashable, Sendable {
    /// Goes into the header table: the same value comes again.
    case incremental
    /// Goes into the table with the first push of a connection, so that its name is there, and stays out afterwards,
    /// because its value differs from push to push and would push everything else out.
    case firstOnly
    /// Stays out of the table.
    case never
}

/// Takes the header fields of one request, in wire order.
package protocol FieldSink {
    /// - Parameter value: valid during the call only.
    mutating func field(_ name: StaticString, _ value: UnsafeRawBufferPointer, _ indexing: TableUse)

    /// Takes a field of the caller's own.
    mutating func field(_ field: RequestHeaders.Field, _ indexing: TableUse)
}
