import PushTerminal
import SupervisedPush

/// Reads NDJSON, one object per line.
struct NDJSONReader: RecordReader {
    private let name: String
    private var window: ByteWindow
    private let longestRecord: Int
    private var isAtBeginning = true
    /// The members that placeholders name.
    private var wanted: [String] = []
    private(set) var unknownNames: [String] = []

    var line: Int { window.line }
    var bytesConsumed: UInt64 { window.bytesConsumed }

    init(
        name: String, longestRecord: Int = RecordReaders.longestRecord, fill: @escaping ByteWindow.Fill
    ) {
        self.name = name
        window = ByteWindow(fill: fill)
        self.longestRecord = longestRecord
    }

    func mayHave(_ field: RecordField) -> Bool { true }

    mutating func find(_ names: [String]) { wanted = names }

    mutating func next() throws(CommandError) -> InputRecord? {
        if isAtBeginning {
            isAtBeginning = false
            try window.consumeBeginning(of: name)
            if window.bytes.first(where: { !ASCII.isWhiteSpace($0) }) == UInt8(ascii: "[") {
                let file = name == "standard input" ? "FILE" : name
                throw .input("\(name), line 1: \(HeaderProblem.jsonArray(file))")
            }
        }
        while true {
            let line = window.line
            guard let length = try lineLength() else {
                try window.consumeLine()
                return InputRecord(line: line, problem: "the record is longer than \(longestRecord) bytes")
            }
            guard length > 0 else { return nil }
            let bytes = Array(window.bytes[..<length])
            window.consume(length)
            if bytes.allSatisfy(ASCII.isWhiteSpace) { continue }
            return record(line: line, bytes)
        }
    }

    /// The length of the next line in bytes, including its line feed; 0 at the end, nil if it is too long.
    private mutating func lineLength() throws(CommandError) -> Int? {
        var searched = 0
        while true {
            let end = window.bytes.position(of: ASCII.lineFeed, from: searched)
            if let end { return end <= longestRecord ? end + 1 : nil }
            searched = window.count
            if searched > longestRecord { return nil }
            if try !window.readMore() { return searched }
        }
    }

    private mutating func record(line: Int, _ bytes: [UInt8]) -> InputRecord {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            return InputRecord(line: line, problem: "the line is not UTF-8")
        }
        return bytes.withUnsafeBufferPointer { buffer in
            var record = InputRecord(line: line)
            record.values = [[UInt8]?](repeating: nil, count: wanted.count)
            do throws(JSONScanner.Malformed) {
                var seen: Set<RecordField> = []
                for member in try JSONScanner.members(of: buffer) {
                    let value = UnsafeBufferPointer(rebasing: buffer[member.value])
                    let isWanted = record.setValue(wanted.firstIndex(of: member.name), member.name, value)
                    guard let field = RecordField(rawValue: member.name) else {
                        if !isWanted { noteUnknown(member.name) }
                        continue
                    }
                    let isRepeated = !seen.insert(field).inserted
                    let problem = isRepeated ? "\(field.rawValue) appears twice" : record.set(field, value)
                    record.problem = record.problem ?? problem
                }
            } catch {
                return InputRecord(line: line, problem: "the line \(error.sentence(in: buffer, namingLines: false))")
            }
            if record.token.isEmpty { record.problem = record.problem ?? "token is missing" }
            return record
        }
    }

    private mutating func noteUnknown(_ name: String) {
        let name = name.shortened(to: 40)
        if unknownNames.count < RecordReaders.mostUnknownNames, !unknownNames.contains(name) {
            unknownNames.append(name)
        }
    }
}

extension InputRecord {
    /// Sets the value of a placeholder: a string's text, or a number, true or false. Returns whether there is such a
    /// placeholder.
    fileprivate mutating func setValue(_ index: Int?, _ name: String, _ json: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let index else { return false }
        if values[index] != nil { problem = problem ?? "\(name.shortened(to: 40)) appears twice" }
        if json.first == ASCII.quote {
            values[index] = JSONScanner.string(in: json).map { Array($0.utf8) }
        } else if JSONText.isScalar(Array(json)), !json.elementsEqual("null".utf8) {
            values[index] = Array(json)
        }
        return true
    }

    /// Sets an NDJSON member; returns a sentence if its value is invalid. `null` counts as absent.
    fileprivate mutating func set(_ field: RecordField, _ value: UnsafeBufferPointer<UInt8>) -> String? {
        if value.elementsEqual("null".utf8) { return nil }
        switch field {
        case .payload:
            guard value.first == ASCII.openBrace else { return "payload is not a JSON object" }
            payload = Array(value)
        case .expiration:
            expiration = Int64(String(decoding: value, as: UTF8.self))
            if expiration == nil { return "expiration is not a whole number of UNIX seconds" }
        case .priority:
            let text = String(decoding: value, as: UTF8.self)
            priority = Int(text)
            if priority == nil { return RecordPriority.problem(text) }
        case .token, .topic, .collapseID, .apnsID, .pushType:
            guard let text = JSONScanner.string(in: value) else { return "\(field.rawValue) is not a string" }
            set(field, text: text)
        }
        return nil
    }
}
