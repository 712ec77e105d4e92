/// Values in numbered slots. A slot is reused after its value was removed; its version then distinguishes the
/// occupants.
///
/// Every operation takes constant time, and only the growth of the table allocates.
struct SlotTable<Value> {
    private(set) var values: ContiguousArray<Value?> = []
    private var versions: ContiguousArray<UInt32> = []
    private var free: ContiguousArray<Int32> = []
    private(set) var count = 0
    /// The version of a new slot.
    private var firstVersion: UInt32 = 0

    /// Puts a value into a free slot.
    mutating func insert(_ value: consuming Value) -> Int32 {
        count += 1
        guard let slot = free.popLast() else {
            values.append(value)
            versions.append(firstVersion)
            return Int32(values.count - 1)
        }
        values[Int(slot)] = value
        return slot
    }

    /// Removes and returns the value of a slot; nil if the slot is empty or out of range.
    mutating func take(_ slot: Int32) -> Value? {
        guard contains(slot), let value = values[Int(slot)].take() else { return nil }
        versions[Int(slot)] &+= 1
        free.append(slot)
        count -= 1
        if count == 0 && values.count > 4_096 { shrink() }
        return value
    }

    /// The value of a slot; nil if the slot is empty or out of range.
    subscript(slot: Int32) -> Value? {
        get { contains(slot) ? values[Int(slot)] : nil }
        // Inlined, or each access would allocate the frame of a coroutine.
        @inline(__always) _modify { yield &values[Int(slot)] }
    }

    func contains(_ slot: Int32) -> Bool { slot >= 0 && Int(slot) < values.count }

    func version(of slot: Int32) -> UInt32 { versions[Int(slot)] }

    /// The slots in use, in no particular order.
    var slots: [Int32] { values.indices.filter { values[$0] != nil }.map(Int32.init) }

    /// Releases the storage of a burst. Versions continue, so references to an old occupant find no new one.
    private mutating func shrink() {
        let last = versions.max() ?? 0
        self = SlotTable()
        firstVersion = last &+ 1
    }
}

/// Links between slots, for lists that are threaded through them. A slot is in at most one list of the same links.
struct SlotLinks {
    fileprivate struct Link {
        var previous: Int32 = -1
        var next: Int32 = -1
    }

    fileprivate var links: ContiguousArray<Link> = []

    /// The slot after this one in its list, -1 at the end.
    func next(after slot: Int32) -> Int32 { links[Int(slot)].next }

    /// The slot before this one in its list, -1 at the beginning.
    func previous(before slot: Int32) -> Int32 { links[Int(slot)].previous }

    fileprivate mutating func reach(_ slot: Int32) {
        while links.count <= Int(slot) { links.append(Link()) }
    }
}

/// A doubly linked list of slots.
struct SlotList {
    private(set) var first: Int32 = -1
    private(set) var last: Int32 = -1
    private(set) var count = 0
    var isEmpty: Bool { count == 0 }

    mutating func append(_ slot: Int32, in links: inout SlotLinks) { insert(slot, after: last, in: &links) }

    /// - Parameter before: The slot to insert after; -1: at the front.
    mutating func insert(_ slot: Int32, after before: Int32, in links: inout SlotLinks) {
        links.reach(slot)
        let behind = before >= 0 ? links.links[Int(before)].next : first
        links.links[Int(slot)] = SlotLinks.Link(previous: before, next: behind)
        if before >= 0 { links.links[Int(before)].next = slot } else { first = slot }
        if behind >= 0 { links.links[Int(behind)].previous = slot } else { last = slot }
        count += 1
    }

    mutating func remove(_ slot: Int32, in links: inout SlotLinks) {
        let link = links.links[Int(slot)]
        if link.previous >= 0 { links.links[Int(link.previous)].next = link.next } else { first = link.next }
        if link.next >= 0 { links.links[Int(link.next)].previous = link.previous } else { last = link.previous }
        links.links[Int(slot)] = SlotLinks.Link()
        count -= 1
    }
}
