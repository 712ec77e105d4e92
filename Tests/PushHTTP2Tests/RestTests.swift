import CPushNghttp2
import Glibc
import Testing

@testable import PushHTTP2

/// A session without streams returns memory, and works as before.
@Suite struct RestTests {
    @Test func aSessionWorksAfterEachRest() throws {
        var joined = JoinedSessions(client: try ClientSession.make(), server: try ServerSession.make())
        try joined.exchange()
        for tag in 0..<100 {
            _ = try joined.client.post(tag: tag)
            try joined.exchange()
            #expect(joined.client.rest())
        }
        let answers = joined.clientEvents.compactMap(\.response)
        #expect(answers.map(\.tag) == Array(0..<100))
        #expect(answers.allSatisfy { $0.isComplete && $0.headers.first("apns-id") == "id-\($0.stream)" })
    }

    @Test func aSessionRestsAfterMoreStreamsThanItsMapHadRoomFor() throws {
        var joined = JoinedSessions(client: try ClientSession.make(), server: try ServerSession.make())
        try joined.exchange()
        for _ in 0..<3 {
            for tag in 0..<1_000 { _ = try joined.client.post(tag: tag) }
            try joined.exchange()
            #expect(joined.client.rest())
        }
        #expect(joined.clientEvents.compactMap(\.response).count == 3_000)
    }

    @Test func aSessionWithAnOpenStreamOrWithOutputDoesNotRest() throws {
        var joined = JoinedSessions(client: try ClientSession.make(), server: try ServerSession.make())
        var held: [StreamID] = []
        joined.onRequest = { _, request in held.append(request.stream) }
        try joined.exchange()
        _ = try joined.client.post()
        #expect(!joined.client.rest())
        try joined.exchange()
        #expect(held == [1] && !joined.client.rest())
        joined.server.respond(1, fields: responseFields("200"))
        try joined.exchange()
        joined.client.ping(7)
        #expect(!joined.client.rest())
        try joined.exchange()
        #expect(joined.client.rest())
    }

    @Test func onlyRequestsSinceTheLastRestCount() throws {
        var joined = JoinedSessions(client: try ClientSession.make(), server: try ServerSession.make())
        try joined.exchange()
        #expect(!joined.client.rest())
        _ = try joined.client.post()
        try joined.exchange()
        #expect(joined.client.rest() && !joined.client.rest())
        joined.client.ping(7)
        try joined.exchange()
        #expect(!joined.client.rest())
    }

    // MARK: The memory

    @Test func restKeepsTheFirstPageAlone() throws {
        let blocks = try Blocks()
        defer { blocks.release() }
        let pages = UnsafeMutableRawPointer(bitPattern: UInt(bitPattern: blocks.session) & ~4_095)
        func resident() -> [UInt8] {
            var resident = [UInt8](repeating: 0, count: 7)
            mincore(pages, 7 * 4_096, &resident)
            return resident.map { $0 & 1 }
        }
        for block in [blocks.session, blocks.frames, blocks.streams] { memset(block, 1, 4_000) }
        #expect(resident() == [1, 1, 0, 0, 0, 0, 1])
        memset(blocks.streams, 0, 4_000)
        blocks.memory.rest()
        #expect(resident() == [1, 0, 0, 0, 0, 0, 0])
        #expect(blocks.session.load(fromByteOffset: 2_000, as: UInt8.self) == 1)
    }

    @Test func aMapWithAStreamKeepsItsContent() throws {
        let blocks = try Blocks()
        defer { blocks.release() }
        blocks.streams.storeBytes(of: 7, toByteOffset: 4_088, as: UInt64.self)
        blocks.memory.rest()
        #expect(blocks.streams.load(fromByteOffset: 4_088, as: UInt64.self) == 7)
    }

    @Test func aBlockThatOutgrowsItsPlaceMoves() throws {
        let blocks = try Blocks()
        defer { blocks.release() }
        memset(blocks.frames, 7, 16_394)
        let same = blocks.allocator.realloc(blocks.frames, 20 << 10, blocks.allocator.mem_user_data)
        #expect(same == blocks.frames)
        let moved = try #require(blocks.allocator.realloc(blocks.frames, 40 << 10, blocks.allocator.mem_user_data))
        #expect(moved != blocks.frames)
        #expect(UnsafeRawBufferPointer(start: moved, count: 16_394).allSatisfy { $0 == 7 })
        blocks.allocator.free(moved, blocks.allocator.mem_user_data)
    }
}

/// The blocks that nghttp2 takes for a session.
private struct Blocks {
    let memory = SessionMemory()
    let allocator: nghttp2_mem
    let session: UnsafeMutableRawPointer
    let streams: UnsafeMutableRawPointer
    let frames: UnsafeMutableRawPointer

    init() throws {
        allocator = memory.withAllocator(\.pointee)
        let mapping = allocator.mem_user_data
        session = try #require(allocator.calloc(1, 2_928, mapping))
        streams = try #require(allocator.calloc(256, 16, mapping))
        frames = try #require(allocator.realloc(nil, 16_394, mapping))
    }

    func release() { memory.release() }
}
