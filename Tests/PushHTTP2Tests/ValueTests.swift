import HandWrittenFrames
import Testing

@testable import PushHTTP2

@Suite struct ValueTests {
    @Test func aHeaderBlockGivesBackWhatWentIn() {
        var block = HeaderBlock()
        block.append(name: ":status", value: "410")
        block.append(name: "apns-id", value: "")
        block.append(name: "x", value: "1")
        block.append(name: "x", value: "2")
        #expect(block.count == 4)
        #expect(block.first(":status") == "410")
        #expect(block.first("apns-id") == "")
        #expect(block.first("x") == "1")
        #expect(block.first("y") == nil)
        #expect(block.occurrences(of: "x") == 2)
        #expect(block.fields.map(\.name) == [":status", "apns-id", "x", "x"])
        #expect(block.fields.map(\.value) == ["410", "", "1", "2"])
    }

    @Test func aStatusIsExactlyThreeDigits() {
        func status(_ text: String) -> Int {
            Array(text.utf8).withUnsafeBufferPointer { IncomingBlock.status($0) }
        }
        #expect(status("200") == 200)
        #expect(status("007") == 7)
        for text in ["", "20", "2000", "+20", "2 0", "２００"] { #expect(status(text) == -1) }
    }

    @Test func errorCodesKeepUnknownNumbers() {
        #expect(HTTP2ErrorCode.refusedStream.description == "REFUSED_STREAM")
        #expect(HTTP2ErrorCode(rawValue: 0xd).description == "HTTP_1_1_REQUIRED")
        #expect(HTTP2ErrorCode(rawValue: 0xff).description == "0xff")
    }

    @Test func freedSlotsAreUsedAgainAndVacantOnesAreNotFound() {
        var slab = Slab<ServerStream>()
        let first = slab.insert()
        let second = slab.insert()
        slab[first].id = 1
        slab[second].id = 3
        slab.remove(first)
        #expect(slab.count == 1)
        #expect(slab.taken == [second])
        #expect(slab.slot(from: Slab<ServerStream>.pointer(to: first)) == nil)
        #expect(slab.slot(from: Slab<ServerStream>.pointer(to: second)) == second)
        #expect(slab.slot(from: nil) == nil)
        #expect(slab.slot(from: Slab<ServerStream>.pointer(to: 9)) == nil)
        #expect(slab.insert() == first)
        #expect(slab[first].id == 0)
        #expect(slab[second].id == 3)
    }

    @Test func aSlabKeepsItsElementsAsItGrows() {
        var slab = Slab<ServerStream>()
        for number in 0..<100 {
            let slot = slab.insert()
            #expect(slot == number)
            slab[slot].body = [UInt8(number)]
        }
        for number in stride(from: 0, to: 100, by: 2) { slab.remove(number) }
        #expect(slab.count == 50 && slab.taken == Array(stride(from: 1, to: 100, by: 2)))
        #expect(slab.taken.allSatisfy { slab[$0].body == [UInt8($0)] })
        #expect((0..<50).map { _ in slab.insert() }.sorted() == Array(stride(from: 0, to: 100, by: 2)))
        #expect(slab[0].body.isEmpty && slab.insert() == 100)
    }

    @Test func fieldsAreGatheredBlockByBlock() {
        var collector = FieldCollector()
        func add(_ name: String, _ value: String) {
            Array(name.utf8).withUnsafeBufferPointer { name in
                Array(value.utf8).withUnsafeBufferPointer { collector.append(name, $0) }
            }
        }
        #expect(collector.take() == HeaderBlock())
        let long = String(repeating: "y", count: 5_000)
        for value in ["1", long, "3"] {
            var expected = HeaderBlock()
            for name in ["a", "", "apns-id"] {
                add(name, value)
                expected.append(name: name, value: value)
            }
            add("empty", "")
            expected.append(name: "empty", value: "")
            #expect(collector.count == 4)
            #expect(collector.take() == expected)
        }
        add("forgotten", "x")
        collector.removeAll()
        #expect(collector.take() == HeaderBlock())
    }

    @Test(arguments: 1...40)
    func theWalkerFindsTheSameFramesInPiecesOfAnySize(size: Int) {
        let bytes =
            HandWritten.preface + HandWritten.settings([(3, 7)])
            + HandWritten.data(5, Array(repeating: 1, count: 30), end: true)
            + HandWritten.settingsAcknowledgement + HandWritten.headers(7, [("a", "b")], end: false)
        var walker = FrameWalker(preface: 24)
        var found: [ProducedFrame] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            Array(bytes[start..<min(start + size, bytes.count)]).withUnsafeBufferPointer { piece in
                var position = 0
                while let frame = walker.next(in: piece, at: &position) { found.append(frame) }
            }
        }
        let expected = HandWritten.frames(in: bytes, after: 24).map {
            ProducedFrame(
                type: $0.kind, flags: $0.flags, stream: StreamID($0.stream), start: UInt64($0.start),
                end: UInt64($0.end))
        }
        #expect(found == expected)
        #expect(found.count == 4)
        #expect(walker.offset == UInt64(bytes.count))
    }
}
