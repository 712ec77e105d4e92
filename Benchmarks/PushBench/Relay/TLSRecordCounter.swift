/// Counts the TLS records of one direction, whose bytes come in any pieces (RFC 8446 section 5.1).
struct TLSRecordCounter {
    private var header: [UInt8] = []
    private var rest = 0
    private(set) var records = 0

    mutating func take(_ bytes: UnsafeRawBufferPointer) {
        var position = 0
        while position < bytes.count {
            if rest > 0 {
                let step = min(rest, bytes.count - position)
                rest -= step
                position += step
                continue
            }
            header.append(bytes[position])
            position += 1
            guard header.count == 5 else { continue }
            rest = Int(header[3]) << 8 | Int(header[4])
            records += 1
            header.removeAll(keepingCapacity: true)
        }
    }
}
