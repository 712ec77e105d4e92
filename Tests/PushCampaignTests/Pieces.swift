import PushTerminal

@testable import PushCampaign

/// An input that arrives in pieces of a given size.
func pieces(_ bytes: [UInt8], of size: Int) -> ByteWindow.Fill {
    var position = 0
    return { buffer in
        let count = min(size, buffer.count, bytes.count - position)
        buffer.copyBytes(from: bytes[position..<(position + count)])
        position += count
        return count
    }
}

/// All records, and the line behind the last one.
func records(
    _ format: RecordFormat, _ bytes: [UInt8], pieceSize: Int = 65_536
) throws(CommandError) -> [InputRecord] {
    var reader = try RecordReaders.open(format, name: "input", fill: pieces(bytes, of: pieceSize))
    var records: [InputRecord] = []
    while let record = try reader.next() { records.append(record) }
    return records
}

func records(_ format: RecordFormat, _ text: String) throws(CommandError) -> [InputRecord] {
    try records(format, Array(text.utf8))
}
