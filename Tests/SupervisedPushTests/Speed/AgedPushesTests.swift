import Testing

@testable import SupervisedPush

/// What `AgedPushes` assumes of the layout of a push. If it no longer holds, the wrong memory is brought into the cache.
@Suite struct AgedPushesTests {
    @Test func aSlotBeginsWithTheReferenceToItsPush() {
        let record = MachineHarness().record(1)
        let slot: WaitingPush? = WaitingPush(record)
        let first = withUnsafeBytes(of: slot) { $0.load(as: UInt.self) }
        #expect(UnsafeRawPointer(bitPattern: first) == UnsafeRawPointer(Unmanaged.passUnretained(record).toOpaque()))
    }

    @Test func anEmptySlotBeginsWithNothing() {
        let slot: WaitingPush? = nil
        #expect(withUnsafeBytes(of: slot) { $0.load(as: UInt.self) } == 0)
    }

    /// A larger record would be brought in only in part; a smaller one would bring in what follows it.
    /// An allocator may give a few bytes more than it is asked for.
    @Test func theFootprintIsThatOfARecord() {
        let records = (1...100).map { MachineHarness().record($0) }
        let size = records.map { usableSize(Unmanaged.passUnretained($0).toOpaque()) }.min() ?? 0
        #expect((PushRecord.footprint..<PushRecord.footprint + 32).contains(size))
    }
}

/// Glibc's module does not have it.
@_silgen_name("malloc_usable_size") private func usableSize(_ block: UnsafeRawPointer) -> Int
