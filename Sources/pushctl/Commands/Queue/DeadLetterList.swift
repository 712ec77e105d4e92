import PushCampaign
import PushQueue
import PushTerminal

/// Dead letters, for a person or for a script.
struct DeadLetterList {
    private let letters: [DeadLetter]

    init(_ letters: [DeadLetter]) { self.letters = letters }

    /// What is said of dead letters that are not printed.
    static func rest(printed: Int, of count: Int) -> String? {
        guard count > printed else { return nil }
        let rest = Figures.grouped(count - printed)
        return "pushctl: \(rest) more dead letters are not printed; --limit \(count) prints all"
    }

    func lines(asJSON: Bool) -> [UInt8] {
        var bytes: [UInt8] = asJSON ? [] : Array("key,id,tokens,reason\n".utf8)
        for letter in letters {
            if asJSON { bytes += json(letter) } else { append(letter, to: &bytes) }
        }
        return bytes
    }

    private func json(_ letter: DeadLetter) -> [UInt8] {
        let entry = try? letter.entry.get()
        var object = JSONLine()
        object.add("key", letter.key.description)
        object.add("id", entry?.id.description)
        object.add("tokens", entry?.tokens.count)
        object.add("reason", letter.reason)
        var members = JSONLine()
        if let fields = try? entry.map(EntryFields.encode) {
            // As another program would put it in again.
            for field in fields { members.add(field.name, String(decoding: field.value, as: UTF8.self)) }
        } else if letter.fields.isEmpty {
            return object.line
        } else {
            for (name, value) in letter.fields.sorted(by: { $0.key < $1.key }) { members.add(name, value) }
        }
        return object.line(ending: [("entry", members.line)])
    }

    private func append(_ letter: DeadLetter, to bytes: inout [UInt8]) {
        let (entry, reason, key) = (try? letter.entry.get(), letter.reason.asReason, letter.key.description)
        bytes.append(addingCapacity: 2 * (reason.utf8.count + key.utf8.count) + 80) { row in
            row.append(csv: key)
            row.append(ASCII.comma)
            if let entry {
                row.append(utf8: entry.id.description)
                row.append(ASCII.comma)
                row.append(decimal: entry.tokens.count)
            } else {
                row.append(ASCII.comma)
            }
            row.append(ASCII.comma)
            row.append(csv: reason)
            row.append(ASCII.lineFeed)
        }
    }
}
