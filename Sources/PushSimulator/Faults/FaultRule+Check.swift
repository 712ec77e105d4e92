/// Checks a rule before it takes effect.
extension FaultRule {
    /// Throws if the rule can never take effect.
    ///
    /// - Throws: `configuration` with a sentence that says what is wrong and what is allowed.
    public func check() throws(SimulatorError) {
        if let objection { throw SimulatorError(.configuration, objection.sentence) }
    }

    /// What is wrong with a rule, in the terms of a script, and what is allowed there.
    struct Objection {
        let place: String
        let problem: String

        var sentence: String { "\(place) \(problem)" }
    }

    var objection: Objection? {
        triggerObjection ?? selectionObjection ?? conditionObjection ?? occasionObjection ?? fault.objection
    }

    private var occasion: Fault.Occasion {
        switch trigger {
        case .connecting: .connecting
        case .connected, .at: .open
        case .push, .pushNumber, .everyPush, .overallPush, .everyOverallPush, .pushTo: .push
        }
    }

    private var triggerObjection: Objection? {
        switch trigger {
        case .connecting, .connected, .push: return nil
        case .at(let time): return time < .zero ? Objection(place: "when.at", problem: "must not be negative.") : nil
        case .pushNumber(let number), .everyPush(let number), .overallPush(let number), .everyOverallPush(let number):
            return number < 1 ? Objection(place: "when", problem: "must count from 1.") : nil
        case .pushTo(let digits):
            let isHex = digits.utf8.allSatisfy { HexDigits.value(of: $0) != nil }
            return isHex && !digits.isEmpty
                ? nil
                : Objection(
                    place: "when.pushTo", problem: "must be hex digits, the beginning of device tokens.")
        }
    }

    private var selectionObjection: Objection? {
        switch selection {
        case .all, .only: return nil
        case .nth(let number), .first(let number), .every(let number):
            return number < 1 ? Objection(place: "on", problem: "must count connections from 1.") : nil
        case .after(let number):
            return number < 0 ? Objection(place: "on.after", problem: "must be 0 or more.") : nil
        }
    }

    private var conditionObjection: Objection? {
        if let times, times < 1 { return Objection(place: "times", problem: "must be 1 or more.") }
        guard probability > 0, probability <= 1 else {
            return Objection(place: "probability", problem: "must be more than 0 and at most 1.")
        }
        if let between, between.isEmpty || between.lowerBound < .zero {
            return Objection(place: "between", problem: "must be two times, the earlier first, not negative.")
        }
        return nil
    }

    private var occasionObjection: Objection? {
        guard !fault.occasions.contains(occasion) else { return nil }
        let allowed = Fault.Occasion.allCases.filter(fault.occasions.contains).map(\.triggers).joined(separator: ", ")
        return Objection(
            place: "then",
            problem: "contains a fault that cannot happen then; it can with when: "
                + "\(allowed).")
    }
}

extension Fault.Occasion {
    /// The triggers for this occasion, in the terms of a script.
    fileprivate var triggers: String {
        switch self {
        case .connecting: "connecting"
        case .open: "connected, at"
        case .push: "push, everyPush, overallPush, everyOverallPush, pushTo"
        }
    }
}

extension Fault {
    /// What is wrong with the values of a fault, whenever it happens.
    fileprivate var objection: FaultRule.Objection? {
        func within(_ place: String, value: Int, range: ClosedRange<Int>) -> FaultRule.Objection? {
            range.contains(value)
                ? nil
                : FaultRule.Objection(
                    place: "then.\(place)", problem: "must be \(range.lowerBound) to \(range.upperBound).")
        }
        switch self {
        case .retryAfter(let text):
            return text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
                ? nil : FaultRule.Objection(place: "then.retryAfter", problem: "must be one line of ASCII.")
        case .oversizedHeaders(let bytes): return within("oversizedHeaders", value: bytes, range: 1...16 << 20)
        case .oversizedBody(let bytes): return within("oversizedBody", value: bytes, range: 1...64 << 20)
        case .flood(let flood): return within("flood.count", value: flood.count, range: 1...Flood.most(flood.kind))
        case .delay(let latency) where latency.range.lowerBound < .zero:
            return FaultRule.Objection(place: "then.delay", problem: "must not be negative.")
        case .settings(let change):
            guard change != SettingsChange() else {
                return FaultRule.Objection(place: "then.settings", problem: "must change something.")
            }
            return change.maxConcurrentStreams.flatMap {
                within("settings.maxConcurrentStreams", value: $0, range: 0...Int(UInt32.max))
            }
                ?? change.initialWindowSize.flatMap {
                    within("settings.initialWindowSize", value: $0, range: 0...Int(Int32.max))
                }
        case .window(let pace, _): return pace.objection
        case .windowUpdate(let bytes, _): return within("windowUpdate.bytes", value: bytes, range: 1...Int(Int32.max))
        case .addTopic(let topic) where !SimulatedTopics.isWellFormed(topic.utf8):
            return FaultRule.Objection(
                place: "then.addTopic", problem: "must be a topic: letters, digits, dots, hyphens and underscores.")
        case .delayHandshake(let duration) where duration < .zero:
            return FaultRule.Objection(place: "then.delayHandshake", problem: "must not be negative.")
        case .dribbleHandshake(let dribble):
            if dribble.interval < .zero {
                return FaultRule.Objection(place: "then.dribbleHandshake.every", problem: "must not be negative.")
            }
            return within("dribbleHandshake.bytes", value: dribble.bytes, range: 1...1 << 20)
        case .goAway(let goAway):
            guard case .exactly(let stream) = goAway.lastStream else { return nil }
            // Even numbers are streams of the server's, and nghttp2 sends no such GOAWAY.
            if stream > 0, stream.isMultiple(of: 2) {
                return FaultRule.Objection(
                    place: "then.goAway.lastStream", problem: "must be 0 or odd: a provider's streams are odd.")
            }
            return within("goAway.lastStream", value: Int(stream), range: 0...Int(Int32.max))
        case .halfAnswer(let half):
            if half.extent == .frame, case .reset = half.ending {
                return FaultRule.Objection(
                    place: "then.halfAnswer", problem: "cannot end with a reset after a part of a frame.")
            }
            return nil
        default: return nil
        }
    }
}

extension WindowPace {
    fileprivate var objection: FaultRule.Objection? {
        switch self {
        case .prompt, .withhold: nil
        case .delay(let duration):
            duration < .zero
                ? FaultRule.Objection(place: "then.window.pace.delay", problem: "must not be negative.") : nil
        case .trickle(let dribble) where dribble.bytes < 1:
            FaultRule.Objection(place: "then.window.pace.trickle.bytes", problem: "must be 1 or more.")
        case .trickle(let dribble):
            dribble.interval <= .zero
                ? FaultRule.Objection(place: "then.window.pace.trickle.every", problem: "must be more than 0.") : nil
        }
    }
}
