/// Values by the keys of entries.
///
/// A dictionary moves a large value out and in again for each change, and hashes the key each time. Here a value is read
/// and changed where it is, and the key of the call before is known again: calls for one entry follow each other.
struct EntryTable<Value> {
    typealias Key = TakenEntry.Key

    /// The values by the places that ``index(forKey:)`` returned. A place stays a key's until the key is removed. Not
    /// optionals: reading a member of one copies the whole value.
    var values: [Value] = []
    /// The value of a free place.
    private let blank: Value
    private var places: [Key: Int] = [:]
    private var free: [Int] = []
    /// What was looked up or added last, as long as it is there.
    private var latest: (key: Key, place: Int)?

    init(blank: Value) { self.blank = blank }

    var count: Int { places.count }
    var isEmpty: Bool { places.isEmpty }
    var keys: Dictionary<Key, Int>.Keys { places.keys }

    /// The place of a key's value; nil if there is none. Remembers it.
    mutating func index(forKey key: Key) -> Int? {
        if let latest, latest.key == key { return latest.place }
        guard let place = places[key] else { return nil }
        latest = (key, place)
        return place
    }

    /// A copy of a key's value; nil if there is none.
    subscript(key: Key) -> Value? {
        mutating get { index(forKey: key).map { values[$0] } }
        set {
            if let newValue { add(key, newValue) } else { _ = removeValue(forKey: key) }
        }
    }

    /// Removes and returns a key's value; nil if there is none.
    mutating func removeValue(forKey key: Key) -> Value? {
        guard let place = index(forKey: key) else { return nil }
        var value = blank
        swap(&value, &values[place])
        places[key] = nil
        free.append(place)
        latest = nil
        return value
    }

    private mutating func add(_ key: Key, _ value: Value) {
        if let place = index(forKey: key) { return values[place] = value }
        let place = free.popLast() ?? values.count
        if place == values.count { values.append(value) } else { values[place] = value }
        places[key] = place
        latest = (key, place)
    }
}

extension EntryTable: Sendable where Value: Sendable {}
