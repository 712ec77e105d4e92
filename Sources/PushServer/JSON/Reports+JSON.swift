import PushSimulator
import PushTerminal

extension ConnectionReport {
    var json: [UInt8] {
        var object = JSONLine()
        object.add("id", connection.number)
        object.add("port", isManagement ? "management" : "push")
        object.add("opened", UTC.text(milliseconds: openedAt))
        object.add("phase", phase.rawValue)
        object.add("open_streams", openStreams)
        object.add("stream_limit", streamLimit)
        object.add("waiting_answers", waitingAnswers)
        object.add("unreturned_bytes", unreturnedBytes)
        object.add("requests", requests)
        object.add("refusals", refusals)
        switch identity {
        case .token(let keyID, let teamID, let issuedAt):
            object.add("key_id", keyID)
            object.add("team_id", teamID)
            object.add("token_issued", UTC.text(seconds: issuedAt))
            object.add("token_arrived", tokenArrivedAt.map { UTC.text(milliseconds: $0) })
        case .certificate(let subjectUID, let teamID):
            object.add("subject_uid", subjectUID)
            object.add("team_id", teamID)
        case nil: break
        }
        return Array(object.line.dropLast())
    }
}

extension RuleReport {
    /// The rule of a script, with `id`, `fired` and `spent`.
    var json: [UInt8] {
        var object = JSONLine()
        object.add("id", number)
        object.add("fired", fired)
        object.add("spent", isSpent)
        return object.line.dropLast(2) + [ASCII.comma] + rule.json.dropFirst()
    }
}

extension DeviceBook.Device {
    func json(_ token: String) -> [UInt8] {
        var object = JSONObject()
        object.add {
            $0.add("token", token)
            $0.add("state", machine.state.rawValue)
            $0.add("pushes", pushes)
            $0.add("waiting", machine.waiting)
            $0.add("last_push", lastPush.map { UTC.text(milliseconds: $0) })
            $0.add("badges", machine.badges.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
            let activity = machine.activity.flatMap { $0.isGone ? nil : $0 }
            $0.add("activity", activity?.number)
            $0.add("activity_ended", machine.activity?.isEnded ?? false)
            $0.add("activity_ends", activity.map { UTC.text(milliseconds: $0.leavesAt) })
        }
        return object.json
    }

    /// With the list of what the user would have seen.
    func detail(_ token: String, _ push: (Int) -> InboxPush?) -> [UInt8] {
        let outcomes = machine.outcomes.map { outcome in
            var object = JSONObject()
            object.add {
                $0.add("number", outcome.number)
                $0.add("fate", outcome.fate.rawValue)
                $0.add("why", outcome.why)
                $0.add("time", UTC.text(milliseconds: outcome.time))
            }
            object.add("push", json: push(outcome.number)?.summary ?? Array("null".utf8))
            return object.json
        }
        var list = JSONObject()
        list.add("seen", list: outcomes)
        return json(token).dropLast() + [ASCII.comma] + list.json.dropFirst()
    }
}

extension PushSession {
    var json: [UInt8] {
        var object = JSONLine()
        object.add("name", name)
        object.add("topic", topic)
        object.add("token", token)
        object.add("key", keyID)
        return Array(object.line.dropLast())
    }
}

extension NearMiss {
    var json: [UInt8] {
        var object = JSONObject()
        object.add { $0.add("number", push.number) }
        object.add(
            "differs",
            list: differences.map { difference in
                var line = JSONLine()
                line.add("field", difference.field)
                line.add("expected", difference.expected)
                line.add("actual", difference.actual?.shortened(to: 200))
                return Array(line.line.dropLast())
            })
        object.add("push", json: push.summary)
        return object.json
    }
}

extension InboxProblem {
    /// RFC 9457, section 3.
    var json: [UInt8] {
        var object = JSONObject()
        object.add {
            $0.add("type", "urn:push-inbox:problem:\(name)")
            $0.add("title", title)
            $0.add("status", status)
            $0.add("detail", detail)
        }
        for member in members { object.add(member.name, json: member.json) }
        return object.json
    }
}
