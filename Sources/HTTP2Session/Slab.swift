/// What a slab keeps: a value with a vacant form that holds no memory.
protocol SlabElement {
    init()
}

/// Numbered slots, reused. Growing, taking and freeing a slot move no other, so that a C library can hold a number.
struct Slab<Element: SlabElement> {
    private struct Slot {
        var element = Element()
        var isTaken = false
    }

    private var slots = ContiguousArray<Slot>()
    private var free: [Int] = []

    /// Slots in use.
    var count: Int { slots.count - free.count }

    /// The numbers in use, ascending.
    var taken: some Sequence<Int> { slots.indices.lazy.filter { slots[$0].isTaken } }

    mutating func insert(_ element: consuming Element) -> Int {
        guard let slot = free.popLast() else {
            slots.append(Slot(element: element, isTaken: true))
            return slots.count - 1
        }
        slots[slot].element = element
        slots[slot].isTaken = true
        return slot
    }

    mutating func remove(_ slot: Int) {
        slots[slot] = Slot()
        free.append(slot)
    }

    subscript(_ slot: Int) -> Element {
        _read { yield slots[slot].element }
        _modify { yield &slots[slot].element }
    }

    // A number travels through C as a pointer: slot + 1, because a null pointer means none.

    static func pointer(to slot: Int) -> UnsafeMutableRawPointer? {
        UnsafeMutableRawPointer(bitPattern: slot + 1)
    }

    func slot(from pointer: UnsafeMutableRawPointer?) -> Int? {
        let slot = Int(bitPattern: pointer) - 1
        return slots.indices.contains(slot) && slots[slot].isTaken ? slot : nil
    }
}
