/// An element of a slab.
protocol SlabElement {
    init()

    /// Frees all memory, because its slot becomes vacant.
    mutating func vacate()
}

/// Numbered, reusable slots. Growing, taking and freeing never change the number of another slot, so a C library can
/// hold one.
struct Slab<Element: SlabElement>: ~Copyable {
    private struct Slot {
        var element: Element
        /// The next vacant slot, or a mark.
        var next: Int
    }

    private static var none: Int { -1 }
    private static var isTaken: Int { -2 }

    private var slots = UnsafeMutableBufferPointer<Slot>(start: nil, count: 0)
    /// How many slots were ever used; the memory behind them is uninitialized.
    private var made = 0
    private var firstVacant = Slab.none
    /// How many slots are in use.
    private(set) var count = 0

    init() {}

    deinit {
        slots.baseAddress?.deinitialize(count: made)
        slots.deallocate()
    }

    /// The numbers in use, ascending.
    var taken: [Int] { (0..<made).filter { slots[$0].next == Self.isTaken } }

    /// Takes a slot. Its element is new, or a vacated one that the caller must set up again: moving an element in and
    /// out would cost more than everything else.
    mutating func insert() -> Int {
        count += 1
        let slot = firstVacant
        guard slot != Self.none else { return add() }
        firstVacant = slots[slot].next
        slots[slot].next = Self.isTaken
        return slot
    }

    private mutating func add() -> Int {
        if made == slots.count { grow() }
        slots.initializeElement(at: made, to: Slot(element: Element(), next: Self.isTaken))
        made += 1
        return made - 1
    }

    private mutating func grow() {
        let larger = UnsafeMutableBufferPointer<Slot>.allocate(capacity: max(4, slots.count * 2))
        _ = larger.moveInitialize(fromContentsOf: slots[..<made])
        slots.deallocate()
        slots = larger
    }

    mutating func remove(_ slot: Int) {
        precondition(isTaken(slot))
        slots[slot].element.vacate()
        slots[slot].next = firstVacant
        firstVacant = slot
        count -= 1
    }

    /// Frees the memory of all slots, if none is in use.
    mutating func trim() {
        if count == 0 { self = Slab() }
    }

    private func isTaken(_ slot: Int) -> Bool {
        slot >= 0 && slot < made && slots[slot].next == Self.isTaken
    }

    subscript(_ slot: Int) -> Element {
        _read {
            precondition(isTaken(slot))
            yield slots[slot].element
        }
        _modify {
            precondition(isTaken(slot))
            yield &slots[slot].element
        }
    }

    // A slot number passes through C as a pointer: slot + 1, because a null pointer means no slot.

    static func pointer(to slot: Int) -> UnsafeMutableRawPointer? {
        UnsafeMutableRawPointer(bitPattern: slot + 1)
    }

    func slot(from pointer: UnsafeMutableRawPointer?) -> Int? {
        let slot = Int(bitPattern: pointer) - 1
        return isTaken(slot) ? slot : nil
    }
}
