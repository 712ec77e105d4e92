import CPushNghttp2
import Foundation
import Glibc
import Testing

@testable import PushHTTP2

@Suite struct BlockCacheTests {
    private let key: pthread_key_t

    init() throws { key = try #require(BlockCache.key) }

    @Test func aBlockOfEachSizeCanBeWrittenToItsEnd() throws {
        for round in 0..<3 {
            var blocks: [UnsafeMutableRawPointer] = []
            for size in 0...2_100 {
                let block = try #require(BlockCache.allocate(size, key: key))
                memset(block, Int32(round), size)
                blocks.append(block)
            }
            #expect(Set(blocks).count == blocks.count)
            for (size, block) in blocks.enumerated() where size > 0 {
                #expect(block.load(fromByteOffset: size - 1, as: UInt8.self) == UInt8(round))
            }
            for block in blocks { BlockCache.free(block, key: key) }
        }
    }

    @Test(arguments: [1, 16, 100, 2_040])
    func aBlockThatWasFreedIsTheNextOfItsSize(size: Int) async {
        let isSame = await Self.onFreshThread { [key] () -> [Bool] in
            // nghttp2's zeroed blocks are malloc's own. The sanitizer's malloc gives no byte more than it is asked for.
            [calloc(1, max(16, size)), BlockCache.allocate(size, key: key)].compactMap { block in
                guard let block else { return nil }
                let size = Self.size(block)
                BlockCache.free(block, key: key)
                // Not freed, so that the second block is not the first.
                return BlockCache.allocate(size, key: key) == block
            }
        }
        #expect(isSame == [true, true])
    }

    @Test func blocksMayBeFreedOnAnotherThreadThatEnds() async {
        let blocks = (0..<1_000).compactMap { BlockCache.allocate($0 * 2, key: key).map { UInt(bitPattern: $0) } }
        let taken = await Self.onFreshThread { [key] () -> [UInt] in
            let pointers = blocks.compactMap { UnsafeMutableRawPointer(bitPattern: $0) }
            let sizes = pointers.map(Self.size)
            for pointer in pointers { BlockCache.free(pointer, key: key) }
            let taken = sizes.compactMap { BlockCache.allocate($0, key: key) }
            defer { for pointer in taken { BlockCache.free(pointer, key: key) } }
            return taken.map { UInt(bitPattern: $0) }
        }
        #expect(Set(taken) == Set(blocks))
    }

    /// The largest size for which the block is used: malloc's may be larger than asked for.
    private static func size(_ block: UnsafeMutableRawPointer) -> Int { malloc_usable_size(block) / 16 * 16 }

    /// A new thread has no blocks.
    private static func onFreshThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: body()) }.start()
        }
    }
}
