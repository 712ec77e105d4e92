import PushHTTP2

/// Reads the faults of a script: the values of `then`.
enum FaultReader {
    /// Faults without a value.
    static let plain: [String: Fault] = [
        "hold": .hold, "mute": .mute, "deafen": .deafen, "stopReading": .stopReading, "ignorePings": .ignorePings,
        "pushPromise": .pushPromise, "plainText": .plainText, "goAway": .goAway(GoAway()),
        "halfAnswer": .halfAnswer(HalfAnswer()),
    ]
    /// Faults with a value, in the order in which errors list them.
    static let valued = [
        "delay", "refuse", "resetStream", "cut", "cutUnprocessed", "goAway", "settings", "window", "windowUpdate",
        "addTopic", "halfAnswer",
        "malformedAnswer", "retryAfter", "oversizedHeaders", "oversizedBody", "afterAnswer", "brokenFrame", "flood",
        "delayHandshake", "dribbleHandshake", "tls",
    ]

    static func fault(_ node: ScriptNode) throws(SimulatorError) -> Fault {
        let (name, value) = try node.choice(plain.keys.sorted(), valued)
        guard let value else { return plain[name] ?? .hold }
        switch name {
        case "delay": return .delay(try latency(value))
        case "refuse": return .refuse(try value.oneOf(Refusal.self))
        case "resetStream": return .resetStream(code: try errorCode(value))
        case "cut": return .cut(try cut(value))
        case "cutUnprocessed": return .cutUnprocessed(try cut(value))
        case "goAway": return .goAway(try goAway(value))
        case "settings": return .settings(try settings(value))
        case "window": return try window(value)
        case "windowUpdate": return try windowUpdate(value)
        case "addTopic": return .addTopic(try value.text())
        case "halfAnswer": return .halfAnswer(try halfAnswer(value))
        case "malformedAnswer": return .malformedAnswer(try malformation(value))
        case "retryAfter": return .retryAfter(try value.text())
        case "oversizedHeaders": return .oversizedHeaders(bytes: try value.integer())
        case "oversizedBody": return .oversizedBody(bytes: try value.integer())
        case "afterAnswer": return .afterAnswer(try lateFrame(value))
        case "brokenFrame": return .brokenFrame(try value.oneOf(BrokenFrame.self))
        case "flood": return .flood(try flood(value))
        case "delayHandshake": return .delayHandshake(try value.duration())
        case "dribbleHandshake": return .dribbleHandshake(try dribble(value))
        default: return .tls(try value.oneOf(TLSFault.self))
        }
    }

    // MARK: Values

    private static func latency(_ node: ScriptNode) throws(SimulatorError) -> Latency {
        guard case .list = node.value else { return .fixed(try node.duration()) }
        let (shortest, longest) = try node.durations()
        guard shortest <= longest else { throw node.failure("must have the shorter time first.") }
        return Latency(shortest...longest)
    }

    /// A code of RFC 9113, section 7, by its name or number.
    private static func errorCode(_ node: ScriptNode) throws(SimulatorError) -> UInt32 {
        guard case .text(let name) = node.value else { return UInt32(try node.integer(0...Int64(UInt32.max))) }
        let names = HTTP2ErrorCode.names
        guard let code = names.firstIndex(of: name) else {
            throw node.failure("is not an error code; allowed are a number and \(names.joined(separator: ", ")).")
        }
        return UInt32(code)
    }

    private static func cut(_ node: ScriptNode) throws(SimulatorError) -> Fault.Cut {
        try node.choice(["fin", "rst"], []).name == "fin" ? .finish : .reset
    }

    private static func goAway(_ node: ScriptNode) throws(SimulatorError) -> GoAway {
        let members = try node.object(["code", "reason", "lastStream", "announced", "ending", "refusesPushes"])
        var goAway = GoAway()
        if let code = members["code"] { goAway.code = try errorCode(code) }
        if let reason = members["reason"] { goAway.reason = try reason.text() }
        if let announced = members["announced"] { goAway.isAnnounced = try announced.bool() }
        if let refuses = members["refusesPushes"] { goAway.refusesPushes = try refuses.bool() }
        if let last = members["lastStream"] {
            if case .text = last.value {
                _ = try last.choice(["processed"], [])
            } else {
                goAway.lastStream = .exactly(Int32(try last.integer(0...Int64(Int32.max))))
            }
        }
        if let ending = members["ending"] {
            switch try ending.choice(["whenAnswered", "leftOpen", "fin", "rst"], []).name {
            case "leftOpen": goAway.ending = .leftOpen
            case "fin": goAway.ending = .cut(.finish)
            case "rst": goAway.ending = .cut(.reset)
            default: goAway.ending = .whenAnswered
            }
        }
        return goAway
    }

    private static func settings(_ node: ScriptNode) throws(SimulatorError) -> SettingsChange {
        let members = try node.object(["maxConcurrentStreams", "initialWindowSize"])
        var change = SettingsChange()
        if let limit = members["maxConcurrentStreams"] { change.maxConcurrentStreams = try limit.integer() }
        if let window = members["initialWindowSize"] { change.initialWindowSize = try window.integer() }
        return change
    }

    private static func window(_ node: ScriptNode) throws(SimulatorError) -> Fault {
        let members = try node.object(["pace", "of"])
        guard let pace = members["pace"] else { throw node.failure("needs the key \"pace\".") }
        let scope = try members["of"]?.oneOf(WindowScope.self) ?? .connection
        let (name, value) = try pace.choice(["prompt", "withhold"], ["trickle", "delay"])
        guard let value else { return .window(name == "prompt" ? .prompt : .withhold, of: scope) }
        return .window(name == "delay" ? .delay(try value.duration()) : .trickle(try dribble(value)), of: scope)
    }

    private static func windowUpdate(_ node: ScriptNode) throws(SimulatorError) -> Fault {
        let members = try node.object(["bytes", "of"])
        guard let bytes = members["bytes"] else { throw node.failure("needs the key \"bytes\".") }
        return .windowUpdate(
            bytes: try bytes.integer(1...Int64(Int32.max)),
            of: try members["of"]?.oneOf(WindowScope.self) ?? .connection)
    }

    private static func halfAnswer(_ node: ScriptNode) throws(SimulatorError) -> HalfAnswer {
        let members = try node.object(["extent", "ending"])
        var half = HalfAnswer()
        if let extent = members["extent"] {
            switch try extent.choice(["headers", "body", "frame"], []).name {
            case "body": half.extent = .body
            case "frame": half.extent = .frame
            default: half.extent = .headers
            }
        }
        if let ending = members["ending"] {
            let (name, value) = try ending.choice(["nothing", "fin", "rst"], ["resetStream"])
            switch (name, value) {
            case (_, let code?): half.ending = .reset(code: try errorCode(code))
            case ("fin", _): half.ending = .cut(.finish)
            case ("rst", _): half.ending = .cut(.reset)
            default: half.ending = .nothing
            }
        }
        return half
    }

    private static func malformation(_ node: ScriptNode) throws(SimulatorError) -> Malformation {
        let (name, value) = try node.choice(
            ["noStatus", "upperCaseName", "contentLength", "headerBlock", "dataBeforeHeaders"], ["status", "body"])
        if let value { return name == "status" ? .status(try value.text()) : .body(try value.text()) }
        switch name {
        case "noStatus": return .noStatus
        case "upperCaseName": return .upperCaseName
        case "contentLength": return .contentLength
        case "headerBlock": return .headerBlock
        default: return .dataBeforeHeaders
        }
    }

    private static func lateFrame(_ node: ScriptNode) throws(SimulatorError) -> LateFrame {
        let (name, value) = try node.choice(["answer", "data", "windowUpdate"], ["resetStream"])
        if let value { return .reset(code: try errorCode(value)) }
        return name == "answer" ? .answer : name == "data" ? .data : .windowUpdate
    }

    private static func flood(_ node: ScriptNode) throws(SimulatorError) -> Flood {
        let members = try node.object(["kind", "count"])
        guard let kind = members["kind"] else { throw node.failure("needs the key \"kind\".") }
        var flood = Flood(try kind.oneOf(Flood.Kind.self))
        if let count = members["count"] { flood.count = try count.integer(1...Int64(Flood.most(flood.kind))) }
        return flood
    }

    private static func dribble(_ node: ScriptNode) throws(SimulatorError) -> Dribble {
        let members = try node.object(["bytes", "every"])
        guard let bytes = members["bytes"], let every = members["every"] else {
            throw node.failure("needs the keys \"bytes\" and \"every\".")
        }
        return Dribble(bytes: try bytes.integer(1 ... .max), every: try every.duration())
    }
}
