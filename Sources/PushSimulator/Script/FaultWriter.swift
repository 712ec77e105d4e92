import PushHTTP2

/// Writes faults as the values of `then`: what ``FaultReader`` reads.
enum FaultWriter {
    static func fault(_ fault: Fault) -> ScriptValue {
        switch fault {
        case .hold: .text("hold")
        case .mute: .text("mute")
        case .deafen: .text("deafen")
        case .stopReading: .text("stopReading")
        case .ignorePings: .text("ignorePings")
        case .pushPromise: .text("pushPromise")
        case .plainText: .text("plainText")
        case .delay(let latency): .object(["delay": self.latency(latency)])
        case .refuse(let refusal): .object(["refuse": .text(refusal.rawValue)])
        case .resetStream(let code): .object(["resetStream": errorCode(code)])
        case .cut(let cut): .object(["cut": self.cut(cut)])
        case .cutUnprocessed(let cut): .object(["cutUnprocessed": self.cut(cut)])
        case .goAway(let goAway): .object(["goAway": self.goAway(goAway)])
        case .settings(let change): .object(["settings": settings(change)])
        case .window(let pace, let scope): .object(["window": window(pace, scope)])
        case .addTopic(let topic): .object(["addTopic": .text(topic)])
        case .windowUpdate(let bytes, let scope):
            .object(["windowUpdate": .object(["bytes": integer(bytes), "of": .text(scope.rawValue)])])
        case .halfAnswer(let half): .object(["halfAnswer": halfAnswer(half)])
        case .malformedAnswer(let malformation): .object(["malformedAnswer": self.malformation(malformation)])
        case .retryAfter(let text): .object(["retryAfter": .text(text)])
        case .oversizedHeaders(let bytes): .object(["oversizedHeaders": integer(bytes)])
        case .oversizedBody(let bytes): .object(["oversizedBody": integer(bytes)])
        case .afterAnswer(let frame): .object(["afterAnswer": lateFrame(frame)])
        case .brokenFrame(let frame): .object(["brokenFrame": .text(frame.rawValue)])
        case .flood(let flood):
            .object(["flood": .object(["kind": .text(flood.kind.rawValue), "count": integer(flood.count)])])
        case .delayHandshake(let time): .object(["delayHandshake": RuleWriter.duration(time)])
        case .dribbleHandshake(let dribble): .object(["dribbleHandshake": self.dribble(dribble)])
        case .tls(let fault): .object(["tls": .text(fault.rawValue)])
        }
    }

    private static func integer(_ number: Int) -> ScriptValue { .integer(Int64(number)) }

    private static func latency(_ latency: Latency) -> ScriptValue {
        let (shortest, longest) = (latency.range.lowerBound, latency.range.upperBound)
        guard shortest < longest else { return RuleWriter.duration(shortest) }
        return .list([RuleWriter.duration(shortest), RuleWriter.duration(longest)])
    }

    private static func errorCode(_ code: UInt32) -> ScriptValue {
        let names = HTTP2ErrorCode.names
        return Int(code) < names.count ? .text(names[Int(code)]) : .integer(Int64(code))
    }

    private static func cut(_ cut: Fault.Cut) -> ScriptValue { .text(cut == .finish ? "fin" : "rst") }

    private static func goAway(_ goAway: GoAway) -> ScriptValue {
        var members: [String: ScriptValue] = [
            "code": errorCode(goAway.code), "announced": .bool(goAway.isAnnounced),
            "refusesPushes": .bool(goAway.refusesPushes),
        ]
        if let reason = goAway.reason { members["reason"] = .text(reason) }
        if case .exactly(let stream) = goAway.lastStream { members["lastStream"] = .integer(Int64(stream)) }
        members["ending"] =
            switch goAway.ending {
            case .whenAnswered: .text("whenAnswered")
            case .leftOpen: .text("leftOpen")
            case .cut(let cut): self.cut(cut)
            }
        return .object(members)
    }

    private static func settings(_ change: SettingsChange) -> ScriptValue {
        var members: [String: ScriptValue] = [:]
        if let limit = change.maxConcurrentStreams { members["maxConcurrentStreams"] = integer(limit) }
        if let window = change.initialWindowSize { members["initialWindowSize"] = integer(window) }
        return .object(members)
    }

    private static func window(_ pace: WindowPace, _ scope: WindowScope) -> ScriptValue {
        let pace: ScriptValue =
            switch pace {
            case .prompt: .text("prompt")
            case .withhold: .text("withhold")
            case .trickle(let dribble): .object(["trickle": self.dribble(dribble)])
            case .delay(let time): .object(["delay": RuleWriter.duration(time)])
            }
        return .object(["pace": pace, "of": .text(scope.rawValue)])
    }

    private static func halfAnswer(_ half: HalfAnswer) -> ScriptValue {
        let extent =
            switch half.extent {
            case .headers: "headers"
            case .body: "body"
            case .frame: "frame"
            }
        let ending: ScriptValue =
            switch half.ending {
            case .nothing: .text("nothing")
            case .reset(let code): .object(["resetStream": errorCode(code)])
            case .cut(let cut): self.cut(cut)
            }
        return .object(["extent": .text(extent), "ending": ending])
    }

    private static func malformation(_ malformation: Malformation) -> ScriptValue {
        switch malformation {
        case .noStatus: .text("noStatus")
        case .status(let text): .object(["status": .text(text)])
        case .upperCaseName: .text("upperCaseName")
        case .contentLength: .text("contentLength")
        case .body(let text): .object(["body": .text(text)])
        case .headerBlock: .text("headerBlock")
        case .dataBeforeHeaders: .text("dataBeforeHeaders")
        }
    }

    private static func lateFrame(_ frame: LateFrame) -> ScriptValue {
        switch frame {
        case .answer: .text("answer")
        case .data: .text("data")
        case .windowUpdate: .text("windowUpdate")
        case .reset(let code): .object(["resetStream": errorCode(code)])
        }
    }

    private static func dribble(_ dribble: Dribble) -> ScriptValue {
        .object(["bytes": integer(dribble.bytes), "every": RuleWriter.duration(dribble.interval)])
    }
}
