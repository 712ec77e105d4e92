import PushInspection
import PushTerminal

/// JSON that is put together from parts, on one line.
struct JSONObject {
    private var members: [(name: String, json: [UInt8])] = []
    private var line = JSONLine()

    /// Adds members that are texts, numbers and truths.
    mutating func add(_ body: (inout JSONLine) -> Void) { body(&line) }

    mutating func add(_ name: String, json: [UInt8]) { members.append((name, json)) }

    mutating func add(_ name: String, list: some Sequence<[UInt8]>) { members.append((name, JSONList.json(list))) }

    mutating func add(_ name: String, texts: some Sequence<String>) {
        members.append((name, JSONList.json(texts.map { Array(JSONLine.string($0)) })))
    }

    /// The object without a line feed.
    var json: [UInt8] { Array(line.line(ending: members).dropLast()) }
}

enum JSONList {
    static func json(_ items: some Sequence<[UInt8]>) -> [UInt8] {
        var bytes: [UInt8] = [UInt8(ascii: "[")]
        for item in items {
            if bytes.count > 1 { bytes.append(ASCII.comma) }
            bytes += item.last == ASCII.lineFeed ? item.dropLast() : item[...]
        }
        bytes.append(UInt8(ascii: "]"))
        return bytes
    }
}
