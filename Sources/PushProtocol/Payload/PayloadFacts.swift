import FoundationEssentials

/// The facts about a payload that the rules of the push types check, determined once when it is made. A null value
/// counts as missing.
package struct PayloadFacts: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The payload was examined. Without this flag nothing is known about it.
    static let known = PayloadFacts(rawValue: 1 << 0)
    /// `content-available` is 1.
    static let contentAvailable = PayloadFacts(rawValue: 1 << 1)
    /// `aps` contains keys other than `content-available`.
    static let more = PayloadFacts(rawValue: 1 << 2)
    /// `content-changed` is true.
    static let contentChanged = PayloadFacts(rawValue: 1 << 3)
    static let alert = PayloadFacts(rawValue: 1 << 4)
    static let timestamp = PayloadFacts(rawValue: 1 << 5)
    static let contentState = PayloadFacts(rawValue: 1 << 6)
    static let attributesType = PayloadFacts(rawValue: 1 << 7)
    static let attributes = PayloadFacts(rawValue: 1 << 8)
    /// There is an `event` of any kind.
    static let event = PayloadFacts(rawValue: 1 << 9)
    package static let start = PayloadFacts(rawValue: 1 << 10)
    static let update = PayloadFacts(rawValue: 1 << 11)
    /// There is an `mdm` key outside `aps`.
    static let mdm = PayloadFacts(rawValue: 1 << 12)

    static let dismissalDate = PayloadFacts(rawValue: 1 << 13)
    /// A date of a Live Activity that must be milliseconds: see ``MeantSeconds``.
    static let timestampInMilliseconds = PayloadFacts(rawValue: 1 << 14)
    static let staleDateInMilliseconds = PayloadFacts(rawValue: 1 << 15)
    static let dismissalDateInMilliseconds = PayloadFacts(rawValue: 1 << 16)

    /// An empty `aps` is all there is.
    static let nothing = PayloadFacts(rawValue: 1 << 17)

    /// The keys of an accessory's answer: each is there and well-formed.
    static let encryptedData = PayloadFacts(rawValue: 1 << 18)
    static let sessionIdentifier = PayloadFacts(rawValue: 1 << 19)
    static let keyID = PayloadFacts(rawValue: 1 << 20)
    static let messageIndex = PayloadFacts(rawValue: 1 << 21)
    /// `aps` contains other keys than those.
    static let noAnswer = PayloadFacts(rawValue: 1 << 22)

    /// Whether `aps` contains only `content-available`, which makes it a background push.
    package var isBackgroundOnly: Bool { contains(.contentAvailable) && !contains(.more) }
}

extension APS {
    /// The facts of a payload written from this object.
    ///
    /// - Parameter isAlone: Whether nothing is beside it.
    func facts(isAlone: Bool) -> PayloadFacts {
        let facts = ownFacts
        return isAlone && facts == .known ? [.known, .nothing] : facts
    }

    private var ownFacts: PayloadFacts {
        var facts = PayloadFacts.known
        if contentAvailable { facts.insert(.contentAvailable) }
        if contentChanged { facts.formUnion([.contentChanged, .more]) }
        // Not `!= nil`, which compares a copy.
        if case .some = alert { facts.formUnion([.alert, .more]) }
        if isActivity, let liveActivity { facts.insert(liveActivity) }
        if facts != .known { facts.insert(.noAnswer) }
        if badge != nil || sound != nil || mutableContent || category != nil || threadID != nil
            || targetContentID != nil || interruptionLevel != nil || relevanceScore != nil
            || filterCriteria != nil || urlArguments != nil
        {
            facts.formUnion([.more, .noAnswer])
        }
        return facts
    }
}

extension PayloadFacts {
    fileprivate mutating func insert(_ activity: LiveActivity) {
        formUnion([.timestamp, .event, .more])
        if activity.contentState?.isNull == false { insert(.contentState) }
        if activity.attributesType != nil { insert(.attributesType) }
        if activity.attributes?.isNull == false { insert(.attributes) }
        insert(event: activity.event.rawValue)
        insert(date: activity.timestamp.timeIntervalSince1970, as: .timestampInMilliseconds)
        if let date = activity.staleDate { insert(date: date.timeIntervalSince1970, as: .staleDateInMilliseconds) }
        if let date = activity.dismissalDate {
            insert(.dismissalDate)
            insert(date: date.timeIntervalSince1970, as: .dismissalDateInMilliseconds)
        }
    }

    /// The facts of any JSON; nil unless it is one object with at most 128 levels.
    init?(of bytes: [UInt8]) {
        let facts = bytes.withUnsafeBufferPointer { buffer -> PayloadFacts? in
            var scanner = JSONScanner(buffer)
            return try? Self.scan(&scanner)
        }
        guard let facts else { return nil }
        self = facts
    }

    private static func scan(_ scanner: inout JSONScanner) throws(JSONScanner.Malformed) -> PayloadFacts {
        var facts = PayloadFacts.known
        var (hasEmptyAPS, hasMore) = (false, false)
        try scanner.object { (scanner, name) throws(JSONScanner.Malformed) in
            if name != "aps" { hasMore = true }
            if name == "mdm", !scanner.isAtNull { facts.insert(.mdm) }
            guard name == "aps", scanner.peek() == UInt8(ascii: "{") else { return try scanner.skipValue(depth: 1) }
            hasEmptyAPS = true
            try scanner.object(depth: 1) { (scanner, key) throws(JSONScanner.Malformed) in
                hasEmptyAPS = hasEmptyAPS && scanner.isAtNull
                try facts.read(key, from: &scanner)
            }
        }
        try scanner.end()
        if hasEmptyAPS, !hasMore { facts.insert(.nothing) }
        return facts
    }

    private mutating func read(_ key: String, from scanner: inout JSONScanner) throws(JSONScanner.Malformed) {
        if scanner.isAtNull { return try scanner.skipValue(depth: 2) }
        if key != "content-available" { insert(.more) }
        if let fact = AccessoryAnswer.fact(of: key) {
            if AccessoryAnswer.isWellFormed(try scanner.value(depth: 2), for: fact) { insert(fact) }
            return
        }
        insert(.noAnswer)
        switch key {
        case "content-available":
            if try scanner.value(depth: 2).integerValue == 1 { insert(.contentAvailable) }
        case "content-changed":
            if try scanner.value(depth: 2) == true { insert(.contentChanged) }
        case "event":
            insert(.event)
            if let event = try scanner.value(depth: 2).stringValue { insert(event: event) }
        case "timestamp":
            insert(.timestamp)
            insert(date: try scanner.value(depth: 2).numberValue, as: .timestampInMilliseconds)
        case "stale-date": insert(date: try scanner.value(depth: 2).numberValue, as: .staleDateInMilliseconds)
        case "dismissal-date":
            insert(.dismissalDate)
            insert(date: try scanner.value(depth: 2).numberValue, as: .dismissalDateInMilliseconds)
        default:
            insert(Self.presence(of: key))
            try scanner.skipValue(depth: 2)
        }
    }

    /// The fact that there is such a key. Not a dictionary, which would hash each key.
    private static func presence(of key: String) -> PayloadFacts {
        switch key {
        case "alert": .alert
        case "content-state": .contentState
        case "attributes-type": .attributesType
        case "attributes": .attributes
        default: []
        }
    }

    private mutating func insert(date: Double?, as fact: PayloadFacts) {
        if let date, MeantSeconds(of: date) != nil { insert(fact) }
    }

    private mutating func insert(event: String) {
        switch event {
        case "start": insert(.start)
        case "update": insert(.update)
        default: break
        }
    }
}
