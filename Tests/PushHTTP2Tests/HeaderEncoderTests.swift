import CPushNghttp2
import HandWrittenFrames
import Testing

@testable import PushHTTP2

/// Our header blocks, read by decoders that we did not write.
@Suite struct HeaderEncoderTests {
    private typealias Hand = HandWritten

    @Test func aRepeatedRequestIsAByteAFieldAndItsPath() throws {
        var encoder = HeaderEncoder()
        var decoder = try Inflater()
        var fields = Self.request(path: "/3/device/ab")
        let first = try decoder.fields(of: encoder.block(fields))
        fields.overwriteVarying(0..<12) { $0.copyBytes(from: Array("/3/device/cd".utf8)) }
        let block = encoder.block(fields)
        #expect(block.count == 5 + 2 + 12)
        var expected = first
        expected[2].value = "/3/device/cd"
        #expect(try decoder.fields(of: block) == expected)
        #expect(encoder.block(Self.request(path: "/3/device/cd")) == block)
    }

    @Test func aNameIsIndexedOnceAndItsLaterValuesAreNot() throws {
        var encoder = HeaderEncoder()
        var decoder = try Inflater()
        var sizes: [Int] = []
        for value in ["a", "b", "b", "c"] {
            var fields = FieldList()
            fields.append("apns-collapse-id", value, indexing: .firstOnly)
            let block = encoder.block(fields)
            sizes.append(block.count)
            #expect(try decoder.fields(of: block).map(\.value) == [value])
        }
        // The name's 16 bytes leave once; later the index takes two bytes (RFC 7541, section 5.1).
        #expect(sizes == [1 + 17 + 2, 4, 4, 4])
    }

    @Test func whatIsNeverIndexedSaysSo() throws {
        var encoder = HeaderEncoder()
        var decoder = try Inflater()
        var fields = FieldList()
        fields.append("authorization", "bearer of another", indexing: .never)
        fields.append("x-secret", "1", indexing: .never)
        for _ in 0..<2 { #expect(try decoder.fields(of: encoder.block(fields)).allSatisfy(\.isNeverIndexed)) }
    }

    @Test func aFieldThatWouldEvictTheOthersStaysOutOfTheTable() throws {
        var encoder = HeaderEncoder()
        var decoder = try Inflater()
        var fields = Self.request(path: "/")
        fields.append("x-long", String(repeating: "x", count: 2_000))
        var sizes: [Int] = []
        for _ in 0..<3 {
            let block = encoder.block(fields)
            #expect(try decoder.fields(of: block).count == 7)
            sizes.append(block.count)
        }
        #expect(sizes[1] == sizes[2])
        #expect(sizes[1] > 2_000)
    }

    @Test func aSmallerTableIsAnnouncedWithTheSmallestAndTheLastLimit() throws {
        var encoder = HeaderEncoder()
        var decoder = try Inflater()
        let fields = Self.request(path: "/")
        _ = try decoder.fields(of: encoder.block(fields))
        for size in [0, 100] {
            encoder.peerAllows(size)
            decoder.allow(size)
        }
        let block = encoder.block(fields)
        // RFC 7541, section 6.3: 0, then 100 in two bytes.
        #expect(block.prefix(3) == [0x20, 0x3F, 69])
        #expect(try decoder.fields(of: block).count == 6)
        // A larger table than ours is not used, so nothing is announced but the way back to ours: 100, then 4096.
        encoder.peerAllows(65_536)
        decoder.allow(65_536)
        let next = encoder.block(fields)
        #expect(next.prefix(5) == [0x3F, 69, 0x3F, 0xE1, 0x1F])
        #expect(try decoder.fields(of: next).count == 6)
    }

    @Test func twoTableSizesInOneFrameAreBothObeyed() throws {
        let client = try ClientSession.make()
        var decoder = try Inflater()
        _ = try client.receive(Hand.settings())
        for sizes in [[], [0, 4_096], [0], [4_096, 100]] {
            if !sizes.isEmpty { _ = try client.receive(Hand.settings(sizes.map { (1, $0) })) }
            for size in sizes { decoder.allow(size) }
            _ = try client.post()
            let bytes = try client.produceAll()
            let frames = Hand.frames(in: bytes, after: sizes.isEmpty ? 24 : 0)
            let head = try #require(frames.first { $0.isKind(.headers) })
            #expect(try decoder.fields(of: head.payload).count == 6)
        }
    }

    @Test func listsOfHeadsThatNeverRunOutAreDropped() {
        var heads = WaitingHeads()
        heads.append(1, fields: Self.request(path: "/0"))
        for number in 1...1_000 {
            heads.append(StreamID(2 * number + 1), fields: Self.request(path: "/\(number)"))
            let varying = heads.take(StreamID(2 * number - 1)).map { Array($0.varying) }
            #expect(varying == Array("/\(number - 1)".utf8))
            heads.trim()
            #expect(heads.listsKept <= 66)
        }
    }

    @Test func headsOfRequestsThatWereResetAreDropped() {
        var heads = WaitingHeads()
        var encoder = HeaderEncoder()
        for stream in 0..<10 {
            heads.append(StreamID(2 * stream + 1), fields: Self.request(path: "/\(stream)"))
        }
        #expect(heads.take(0)?.fixed == nil)
        for stream in [3, 4, 9] {
            let head = heads.take(StreamID(2 * stream + 1))
            #expect(head.map { Array($0.varying) } == Array("/\(stream)".utf8))
            if let head { #expect(encoder.block(head).count > 5) }
        }
        #expect(heads.take(21)?.fixed == nil)
        heads.trim()
        heads.append(23, fields: Self.request(path: "/x"))
        #expect(heads.take(23).map { Array($0.varying) } == Array("/x".utf8))
    }

    @Test(arguments: 1...40) func nghttp2DecodesWhateverWasEncoded(seed: UInt64) throws {
        var decoder = try Inflater()
        for step in try RandomBlocks.make(seed: seed) {
            for size in step.allowed { decoder.allow(size) }
            #expect(try decoder.fields(of: Array(step.block)) == step.fields)
        }
    }

    @Test(.enabled(if: PythonDecoder.isInstalled, "python3-hpack is not installed"), .timeLimit(.minutes(2)))
    func theDecoderOfPythonsH2DecodesWhateverWasEncoded() throws {
        let blocks = try (1...40).map { try RandomBlocks.make(seed: $0) }
        #expect(try PythonDecoder.decodes(blocks) == "\(blocks.reduce(0) { $0 + $1.count })")
    }

    private static func request(path: String) -> FieldList {
        var fields = FieldList()
        fields.append(":method", "POST")
        fields.append(":scheme", "https")
        Array(path.utf8).withUnsafeBytes { fields.append(":path", bytes: $0, indexing: .without, varies: true) }
        fields.append(":authority", "api.push.apple.com")
        fields.append("authorization", "bearer \(String(repeating: "t", count: 180))")
        fields.append("apns-topic", "com.example.app")
        return fields
    }
}

extension HeaderEncoder {
    mutating func block(_ fields: FieldList) -> [UInt8] {
        fields.varying.withUnsafeBytes { block(WaitingHeads.Head(fixed: fields.fixed, varying: $0)) }
    }

    mutating func block(_ head: WaitingHeads.Head) -> [UInt8] {
        withUnsafeTemporaryAllocation(byteCount: Self.capacity(head), alignment: 1) { memory in
            guard let start = memory.baseAddress else { return [] }
            let count = encode(head, into: start)
            return Array(memory.prefix(count))
        }
    }
}

/// A header field, as a decoder reports it.
struct DecodedField: Equatable, Codable {
    var name: String
    var value: String
    var isNeverIndexed: Bool
}

extension DecodedField {
    init(_ field: nghttp2_nv) {
        func text(_ start: UnsafePointer<UInt8>?, _ count: Int) -> String {
            String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
        }
        self.init(
            name: text(field.name, field.namelen), value: text(field.value, field.valuelen),
            isNeverIndexed: field.flags & UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) != 0)
    }
}

/// nghttp2's decoder.
struct Inflater: ~Copyable {
    private let native: OpaquePointer

    init() throws {
        var made: OpaquePointer?
        #expect(nghttp2_hd_inflate_new(&made) == 0)
        native = try #require(made)
    }

    deinit { nghttp2_hd_inflate_del(native) }

    mutating func allow(_ size: Int) { #expect(nghttp2_hd_inflate_change_table_size(native, size) == 0) }

    mutating func fields(of block: [UInt8]) throws -> [DecodedField] {
        var fields: [DecodedField] = []
        try block.withUnsafeBufferPointer { block in
            var position = 0
            var flags: Int32 = 0
            while flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) == 0 {
                var field = nghttp2_nv()
                let rest = UnsafeBufferPointer(rebasing: block[position...])
                let count = nghttp2_hd_inflate_hd2(native, &field, &flags, rest.baseAddress, rest.count, 1)
                try #require(count >= 0, "nghttp2 refuses the block at byte \(position): \(count)")
                position += count
                guard flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 else { continue }
                fields.append(DecodedField(field))
            }
        }
        nghttp2_hd_inflate_end_headers(native)
        return fields
    }
}
