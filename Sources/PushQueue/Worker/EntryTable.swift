/// Values by the keys of entries.
///
/// A dictionary moves a large value out and in again for each change, and hashes the key each time. Here a value is
/// changed where it is, and the key of the call before is known again: calls for one entry follow each other.
struct EntryTable<Value> {
    typealias Key = TakenEntry.Key

    /// The values by their places.
    struct Values {
        fileprivate var slots: [Value?] = []

        /// The value at a place that ``EntryTable/index(forKey:)`` returned, as long as the key is there. An empty slot
        /// has no key, so it is not reached.
        subscript(place: Int) -> Value {
            get {
                // swift-format-ignore: NeverForceUnwrap
                return slots[place]!
            }
            _modify {
                // swift-format-ignore: NeverForceUnwrap
                yield &slots[place]!
            }
        }
    }

    /// The values, to be read and changed by their places.
    var values = Values()
    private var places: [Key: Int] = [:]
    private var free: [Int] = []
    /// What was looked up or added last, as long as it is there.
    private var latest: (key: Key, place: Int)?

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

    subscript(key: Key) -> Value? {
        mutating get { index(forKey: key).flatMap { values.slots[$0] } }
        set {
            if let newValue { add(key, newValue) } else { _ = removeValue(forKey: key) }
        }
        @inline(__always) _modify {
            let known = index(forKey: key)
            let place = known ?? emptyPlace()
            defer { changed(key, place, wasThere: known != nil) }
            yield &values.slots[place]
        }
    }

    /// A change may add or remove a value.
    private mutating func changed(_ key: Key, _ place: Int, wasThere: Bool) {
        switch (values.slots[place] != nil, wasThere) {
        case (true, false): (places[key], latest) = (place, (key, place))
        case (false, true): drop(key, place)
        case (false, false): free.append(place)
        case (true, true): break
        }
    }

    private mutating func emptyPlace() -> Int {
        if let place = free.popLast() { return place }
        values.slots.append(nil)
        return values.slots.count - 1
    }

    /// Removes and returns a key's value; nil if there is none.
    mutating func removeValue(forKey key: Key) -> Value? {
        guard let place = index(forKey: key) else { return nil }
        let value = values.slots[place].take()
        drop(key, place)
        return value
    }

    private mutating func add(_ key: Key, _ value: Value) {
        if let place = index(forKey: key) { return values.slots[place] = value }
        let place = emptyPlace()
        values.slots[place] = value
        places[key] = place
        latest = (key, place)
    }

    private mutating func drop(_ key: Key, _ place: Int) {
        places[key] = nil
        free.append(place)
        latest = nil
    }
}

extension EntryTable: Sendable where Value: Sendable {}
extension EntryTable.Values: Sendable where Value: Sendable {}
