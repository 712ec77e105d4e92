import PushInspection
import PushSimulator
import PushTerminal
import SupervisedPush

/// Writes news as server-sent events.
struct EventWriter: Sendable {
    var filter = PushFilter()
    /// Summaries in place of whole pushes.
    var isSummary = false
    /// How many pushes one update may have, the newest ones; the others are counted.
    var most = Int.max

    /// The events of an update. Each has the id of the position after it.
    func events(_ news: InboxNews, after position: InboxPosition) -> [UInt8] {
        var bytes: [UInt8] = []
        let matching = news.pushes.filter(filter.matches)
        let shown = matching.suffix(most)
        let skipped = matching.count - shown.count + news.lost
        if skipped > 0 {
            var object = JSONLine()
            object.add("skipped", skipped)
            object.add("lost", news.lost)
            append("counts", object, id: nil, to: &bytes)
        }
        var position = position
        var events = news.events[...]
        for push in shown {
            while let next = events.first, next.afterPush < push.number {
                append(events.removeFirst(), &position, to: &bytes)
            }
            position.push = push.number
            append("push", isSummary ? push.summary : push.listed, id: position, to: &bytes)
            if let refusal = push.refusal { append(refusal, of: push, &position, to: &bytes) }
        }
        for event in events { append(event, &position, to: &bytes) }
        for part in news.parts {
            var object = JSONLine()
            object.add("what", part.rawValue)
            append("changed", object, id: nil, to: &bytes)
        }
        return bytes
    }

    private func append(
        _ refusal: Refusal, of push: InboxPush, _ position: inout InboxPosition, to bytes: inout [UInt8]
    ) {
        var object = JSONLine()
        object.add("number", push.number)
        object.add("status", push.status)
        object.add("reason", refusal.rawValue)
        object.add("meaning", RejectionReason(rawValue: refusal.rawValue).meaning)
        append("refusal", object, id: position, to: &bytes)
    }

    private func append(
        _ numbered: InboxStore.NumberedEvent, _ position: inout InboxPosition, to bytes: inout [UInt8]
    ) {
        position.event = numbered.number
        let event = numbered.event
        var object = JSONLine()
        object.add("connection", event.connection.number)
        object.add("time", UTC.text(milliseconds: event.wallClock))
        switch event.kind {
        case .opened: object.add("state", "opened")
        case .established: object.add("state", "established")
        case .closed: object.add("state", "closed")
        case .goAway(let code, let lastStream, let debugData):
            object.add("code", code)
            object.add("last_stream", lastStream)
            object.add("debug_data", debugData)
            return append("goaway", object, id: position, to: &bytes)
        }
        append("connection", object, id: position, to: &bytes)
    }

    private func append(_ name: String, _ object: JSONLine, id: InboxPosition?, to bytes: inout [UInt8]) {
        append(name, Array(object.line.dropLast()), id: id, to: &bytes)
    }

    private func append(_ name: String, _ json: [UInt8], id: InboxPosition?, to bytes: inout [UInt8]) {
        if let id { bytes += "id: \(id.text)\n".utf8 }
        bytes += "event: \(name)\ndata: ".utf8
        bytes += json
        bytes += "\n\n".utf8
    }
}
