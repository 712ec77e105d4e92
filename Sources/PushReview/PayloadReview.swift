import PushTerminal
import SupervisedPush

/// Finds in a payload what no device would show or understand. APNs accepts all of it: a push of this kind is delivered,
/// and no user sees it.
///
/// Members beside `aps` are the app's own, so only a payload without `aps` is looked at there. Sentences show names, no
/// values.
package enum PayloadReview {
    private enum Kind: String {
        case number, string, object
        /// Several kinds are allowed.
        case any
    }

    private static let apsKeys: [String: Kind] = [
        "alert": .any, "sound": .any, "badge": .number, "category": .string, "thread-id": .string,
        "content-available": .number, "mutable-content": .number, "target-content-id": .string,
        "interruption-level": .string, "relevance-score": .number, "filter-criteria": .string,
        "content-changed": .any, "url-args": .any, "event": .string, "timestamp": .number,
        "content-state": .object, "stale-date": .number, "dismissal-date": .number, "attributes-type": .string,
        "attributes": .object, "input-push-channel": .string, "input-push-token": .any,
        "encryptedData": .string, "sessionIdentifier": .string, "keyID": .string, "messageIndex": .string,
    ]
    private static let alertKeys = [
        "title", "subtitle", "body", "launch-image", "title-loc-key", "title-loc-args", "subtitle-loc-key",
        "subtitle-loc-args", "loc-key", "loc-args", "action", "action-loc-key", "sound", "summary-arg",
        "summary-arg-count",
    ]
    /// A member of these is what a person reads.
    private static let alertTexts = [
        "title", "subtitle", "body", "title-loc-key", "subtitle-loc-key", "loc-key", "action-loc-key",
    ]
    private static let closedSets = [
        "interruption-level": ["passive", "active", "time-sensitive", "critical"],
        "event": ["start", "update", "end"],
    ]
    /// Without content they name nothing.
    private static let names = ["attributes-type", "encryptedData", "sessionIdentifier", "keyID", "messageIndex"]
    private static let dates = ["timestamp", "stale-date", "dismissal-date"]
    /// A member of these makes something happen.
    private static let effects = [
        "alert", "badge", "sound", "content-available", "content-changed", "event", "url-args", "encryptedData",
    ]
    /// The types whose payload needs no `aps`.
    private static let typesWithoutAPS = ["voip", "complication", "fileprovider", "mdm", "pushtotalk", "location"]

    /// - Parameters:
    ///   - json: A payload. A string may contain placeholders.
    ///   - type: Its push type, if that is given.
    package static func findings(in json: [UInt8], type: String?) -> [String] {
        guard case .object(let members)? = JSONValue(parsing: json), !members.isEmpty else { return [] }
        return (Surrogates.arePaired(inJSON: json) ? [] : [halfPair]) + findings(members, type)
    }

    /// Why a payload that needs `aps` is without it; nil otherwise. It may well be another file.
    package static func problemWithoutAPS(_ json: [UInt8], type: String?) -> String? {
        guard case .object(let members)? = JSONValue(parsing: json), !members.isEmpty, members["aps"] == nil else {
            return nil
        }
        return findings(members, type).first
    }

    private static let halfPair =
        "a text has half a surrogate pair, as of an emoji that was cut in two; write whole characters"

    private static func findings(_ members: [String: JSONValue], _ type: String?) -> [String] {
        guard let aps = members["aps"] else {
            let needsNone = type.map(typesWithoutAPS.contains) ?? (members["mdm"] != nil)
            return needsNone ? [] : withoutAPS(members)
        }
        guard case .object(let keys) = aps else { return ["aps is not an object"] }
        var findings = keys.keys.sorted().flatMap { self.findings($0, keys[$0] ?? .null) }
        let isAlert = type == nil || type == "alert"
        if findings.isEmpty, isAlert, !effects.contains(where: { keys[$0]?.kind != nil }) {
            findings.append("aps has no alert, badge or sound, so a device shows nothing")
        }
        return findings
    }

    private static func withoutAPS(_ members: [String: JSONValue]) -> [String] {
        if let misplaced = members.keys.sorted().first(where: { apsKeys[$0] != nil }) {
            return ["\(misplaced) is not inside aps, where devices look for it"]
        }
        let near = members.keys.sorted().first { NearName.of($0, in: ["aps"]) != nil }
        let meant = near.map { "; is \($0.shortened(to: 40)) meant for it?" } ?? ""
        return ["there is no aps, so a device shows nothing\(meant)"]
    }

    private static func findings(_ key: String, _ value: JSONValue) -> [String] {
        guard let kind = apsKeys[key] else { return unknown(key) }
        if key == "alert" { return findings(inAlert: value) }
        if kind != .any, let found = value.kind, found != kind.rawValue {
            return ["\(key) is \(article(found)), but devices expect \(article(kind.rawValue))"]
        }
        if names.contains(key), value == "" { return ["\(key) is empty, so a device can do nothing with the push"] }
        if let known = closedSets[key], case .string(let text) = value, !known.contains(text), !text.contains("{{") {
            return ["\(key) must be one of \(known.joined(separator: ", "))"]
        }
        if dates.contains(key), let meant = value.number.flatMap({ MeantSeconds(of: $0) }) {
            return ["\(key) is in \(meant.unit), but devices expect seconds: \(meant.seconds)"]
        }
        return []
    }

    /// An alert is a text, or an object with at least one.
    private static func findings(inAlert alert: JSONValue) -> [String] {
        switch alert {
        case .null: return []
        case .string(let text): return text.isEmpty ? ["alert is empty, so a device shows no text"] : []
        case .object(let keys):
            let findings = keys.keys.sorted().compactMap { meaningless($0, in: "alert", known: alertKeys) }
            guard findings.isEmpty, !alertTexts.contains(where: { keys[$0]?.isContent == true }) else {
                return findings
            }
            return ["alert has no title, subtitle or body, so a device shows no text"]
        default: return ["alert is \(article(alert.kind ?? "")), but devices expect a string or an object"]
        }
    }

    private static func article(_ kind: String) -> String { kind == "object" ? "an object" : "a \(kind)" }

    private static func unknown(_ key: String) -> [String] {
        if alertKeys.contains(key) { return ["\(key) is in aps, but belongs into alert"] }
        return meaningless(key, in: "aps", known: apsKeys.keys.sorted()).map { [$0] } ?? []
    }

    /// An unknown name may be for later systems; one that is nearly known is a mistake.
    private static func meaningless(_ key: String, in parent: String, known: [String]) -> String? {
        guard !known.contains(key), let meant = NearName.of(key, in: known) else { return nil }
        return "\(key.shortened(to: 40)) in \(parent) means nothing to a device; did you mean \(meant)?"
    }
}

extension JSONValue {
    /// Nil for null, which counts as missing.
    fileprivate var kind: String? {
        switch self {
        case .null: nil
        case .bool: "Boolean"
        case .integer, .double: "number"
        case .string: "string"
        case .array: "list"
        case .object: "object"
        }
    }

    fileprivate var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    /// Whether it is more than null or an empty text or object.
    fileprivate var isContent: Bool {
        switch self {
        case .null: false
        case .string(let text): !text.isEmpty
        case .object(let members): !members.isEmpty
        default: true
        }
    }
}
