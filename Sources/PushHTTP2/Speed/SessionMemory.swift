import CPushNghttp2

#if os(Linux)
    import Glibc
#else
    #error("supervised-push runs on Linux: see docs/support.md")
#endif

/// The memory of one nghttp2 session: small blocks are used again, and the blocks of the session's whole life share a
/// mapping.
///
/// Those blocks are 25 KiB, of which a session without streams needs only the session itself and the decoder's table:
/// they have the first page. The frame buffer and the map of streams then contain nothing. `rest` returns their pages
/// to the system, and the next frame takes fresh ones.
struct SessionMemory {
    /// The mapping; nil if the system had none, and all blocks come from malloc. nghttp2 passes it to the functions
    /// below.
    private let mapping = Self.map()

    /// Must be called after the session is deleted.
    func release() {
        if let mapping { munmap(mapping, Self.mappedSize) }
    }

    /// nghttp2 copies the structure.
    func withAllocator<Result>(_ body: (UnsafeMutablePointer<nghttp2_mem>) -> Result) -> Result {
        var allocator = nghttp2_mem(
            mem_user_data: mapping,
            malloc: { size, mapping in SessionMemory.allocate(size, mapping) },
            free: { pointer, mapping in SessionMemory.give(pointer, mapping) },
            calloc: { count, size, mapping in SessionMemory.allocateZeroed(count, size, mapping) },
            realloc: { pointer, size, mapping in SessionMemory.resize(pointer, size, mapping) })
        return body(&allocator)
    }

    /// Returns the pages that a session without streams and without output does not need. It is a system call, and the
    /// next push takes the pages again.
    func rest() {
        guard let mapping else { return }
        let streams = UnsafeRawBufferPointer(start: mapping + Place.streams.offset, count: Place.streams.size)
        // A fresh page is zero, and so is a map without streams. This depends on nghttp2's version, so it is checked.
        let isBlank = streams.withMemoryRebound(to: UInt64.self) { $0.allSatisfy { $0 == 0 } }
        let size = Place.frames.size + (isBlank ? Place.streams.size : 0)
        madvise(mapping + Place.frames.offset, size, MADV_DONTNEED)
    }

    // MARK: Places

    /// A part of the mapping, for one block. It is taken once: nghttp2 frees these blocks at the session's end, except
    /// a map that has grown out of its place.
    private struct Place {
        let offset: Int
        let size: Int
        /// Blocks of at least this size belong here.
        let least: Int
        /// Its bit in the first word of the mapping.
        let bit: UInt

        var end: Int { offset + size }

        // Computed, because a stored one is checked for initialization at each use, and nghttp2 frees often.

        static var session: Place { Place(offset: 16, size: 3_056, least: 2_048, bit: 1) }
        /// The ring of the HPACK table of what the peer sends.
        static var decoder: Place { Place(offset: session.end, size: 1_024, least: 1_024, bit: 2) }
        /// The frame that is being written: the 16 KiB of a frame (RFC 9113, section 4.2) and a little more.
        static var frames: Place { Place(offset: decoder.end, size: 20 << 10, least: 16 << 10, bit: 4) }
        static var streams: Place { Place(offset: frames.end, size: 4_096, least: 4_096, bit: 8) }
        /// The ring of nghttp2's own HPACK table, which a client does not use: its page is never touched.
        static var encoder: Place { Place(offset: streams.end, size: 1_024, least: 1_024, bit: 16) }
        /// nghttp2 makes the encoder's table first.
        static let all = [session, encoder, decoder, frames, streams]
    }

    private static var mappedSize: Int { Place.encoder.end }
    /// Most blocks belong to one stream or one frame, and are smaller than all places.
    private static var leastSize: Int { 1_024 }

    /// A vacant place for a block of this size, which is then taken.
    @inline(__always)
    private static func take(_ size: Int, _ mapping: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard size >= leastSize, let mapping else { return nil }
        return takePlace(size, mapping)
    }

    @inline(never)
    private static func takePlace(_ size: Int, _ mapping: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        let taken = mapping.assumingMemoryBound(to: UInt.self)
        let place = Place.all.first { ($0.least...$0.size).contains(size) && taken.pointee & $0.bit == 0 }
        guard let place else { return nil }
        taken.pointee |= place.bit
        return mapping + place.offset
    }

    /// The place of a block; nil if it is malloc's.
    @inline(__always)
    private static func place(_ pointer: UnsafeMutableRawPointer, _ mapping: UnsafeMutableRawPointer?) -> Place? {
        guard let mapping, pointer >= mapping, pointer < mapping + mappedSize else { return nil }
        return Place.all.first { mapping + $0.offset == pointer }
    }

    // MARK: nghttp2's calls

    private static func allocate(_ size: Int, _ mapping: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let mapping else { return malloc(size) }
        return take(size, mapping) ?? BlockCache.allocate(size, key: key(in: mapping))
    }

    private static func allocateZeroed(
        _ count: Int, _ size: Int, _ mapping: UnsafeMutableRawPointer?
    ) -> UnsafeMutableRawPointer? {
        let (bytes, isTooMuch) = count.multipliedReportingOverflow(by: size)
        // A place that was never taken is zero.
        guard !isTooMuch, let block = take(bytes, mapping) else { return calloc(count, size) }
        return block
    }

    private static func give(_ pointer: UnsafeMutableRawPointer?, _ mapping: UnsafeMutableRawPointer?) {
        guard let pointer else { return }
        guard let mapping else { return free(pointer) }
        guard let place = place(pointer, mapping) else { return BlockCache.free(pointer, key: key(in: mapping)) }
        // A map that grew leaves its streams behind, and `rest` returns only a blank one.
        if place.offset == Place.streams.offset { memset(pointer, 0, place.size) }
    }

    private static func resize(
        _ pointer: UnsafeMutableRawPointer?, _ size: Int, _ mapping: UnsafeMutableRawPointer?
    ) -> UnsafeMutableRawPointer? {
        // nghttp2 also uses realloc to allocate the frame buffer.
        guard let pointer else { return allocate(size, mapping) }
        guard let place = place(pointer, mapping) else { return realloc(pointer, size) }
        guard size > place.size else { return pointer }
        guard let moved = malloc(size) else { return nil }
        moved.copyMemory(from: pointer, byteCount: place.size)
        give(pointer, mapping)
        return moved
    }

    /// Nil if the system has no more mappings or keys; the caller then uses malloc.
    private static func map() -> UnsafeMutableRawPointer? {
        guard let key = BlockCache.key else { return nil }
        let pages = mmap(nil, mappedSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
        guard let pages, pages != MAP_FAILED else { return nil }
        // Neighbouring mappings merge. As a huge page they would be resident as a whole.
        madvise(pages, mappedSize, MADV_NOHUGEPAGE)
        pages.storeBytes(of: key, toByteOffset: keyOffset, as: pthread_key_t.self)
        return pages
    }

    /// The second word of the mapping is the thread's key of the blocks.
    private static var keyOffset: Int { 8 }

    @inline(__always)
    private static func key(in mapping: UnsafeMutableRawPointer) -> pthread_key_t {
        mapping.load(fromByteOffset: keyOffset, as: pthread_key_t.self)
    }
}
