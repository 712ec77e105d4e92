import CPushNghttp2

#if os(Linux)
    import Glibc
#else
    #error("supervised-push runs on Linux: see docs/support.md")
#endif

/// Small blocks that nghttp2 has freed, kept by the thread for its next requests of that size.
///
/// nghttp2 takes six blocks for each push and frees them a burst later. malloc keeps seven freed blocks of a size at
/// hand, and a burst has hundreds. A thread's blocks are freed when it ends, so idle connections keep none.
struct BlockCache {
    /// Sizes are rounded up to this.
    private static let step = 16
    /// Larger blocks come from malloc.
    private static let largest = 2 << 10
    /// How many bytes a thread keeps at most.
    private static let limit = 1 << 20

    /// The first free block of each size. A free block begins with the address of the next one.
    private let lists: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private var bytes = 0

    private init() {
        lists = .allocate(capacity: Self.largest / Self.step + 1)
        lists.initialize(repeating: nil, count: Self.largest / Self.step + 1)
    }

    // MARK: The calling thread's

    @inline(__always)
    static func allocate(_ size: Int, key: pthread_key_t) -> UnsafeMutableRawPointer? {
        guard size <= largest, let cache = current(key) else { return malloc(size) }
        return cache.pointee.take(size)
    }

    @inline(__always)
    static func free(_ block: UnsafeMutableRawPointer, key: pthread_key_t) {
        // It may be a block of malloc's own size, and is then used as the next smaller one.
        let size = malloc_usable_size(block)
        guard size < largest + step, let cache = current(key) else { return Glibc.free(block) }
        cache.pointee.keep(block, number: size / step)
    }

    /// Nil if the system has no memory for it.
    @inline(__always)
    private static func current(_ key: pthread_key_t) -> UnsafeMutablePointer<BlockCache>? {
        guard let known = pthread_getspecific(key) else { return make(key) }
        return known.assumingMemoryBound(to: BlockCache.self)
    }

    /// Under which a thread finds its blocks; nil if the system has no more keys. Passed to each call, because a look
    /// at a static property costs more than the rest of one.
    static let key: pthread_key_t? = {
        var key = pthread_key_t()
        let isMade = pthread_key_create(&key) { cache in
            guard let cache = cache?.assumingMemoryBound(to: BlockCache.self) else { return }
            cache.pointee.release()
            cache.deallocate()
        }
        return isMade == 0 ? key : nil
    }()

    private static func make(_ key: pthread_key_t) -> UnsafeMutablePointer<BlockCache>? {
        let cache = UnsafeMutablePointer<BlockCache>.allocate(capacity: 1)
        cache.initialize(to: BlockCache())
        guard pthread_setspecific(key, cache) == 0 else {
            cache.pointee.release()
            cache.deallocate()
            return nil
        }
        return cache
    }

    // MARK: One thread's

    @inline(__always)
    private mutating func take(_ size: Int) -> UnsafeMutableRawPointer? {
        let number = (max(1, size) + Self.step - 1) / Self.step
        guard let block = lists[number] else { return malloc(number * Self.step) }
        lists[number] = block.load(as: UnsafeMutableRawPointer?.self)
        bytes -= number * Self.step
        return block
    }

    @inline(__always)
    private mutating func keep(_ block: UnsafeMutableRawPointer, number: Int) {
        guard number > 0, bytes < Self.limit else { return Glibc.free(block) }
        block.storeBytes(of: lists[number], as: UnsafeMutableRawPointer?.self)
        lists[number] = block
        bytes += number * Self.step
    }

    private mutating func release() {
        for number in 0...Self.largest / Self.step {
            while let block = lists[number] {
                lists[number] = block.load(as: UnsafeMutableRawPointer?.self)
                Glibc.free(block)
            }
        }
        lists.deallocate()
    }
}
