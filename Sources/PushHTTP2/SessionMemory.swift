import CPushNghttp2
import Glibc

/// The memory of one nghttp2 session: malloc, except that the frame buffer has pages of its own.
///
/// nghttp2 keeps 16 KiB for the frame it is writing as long as the session lives, and rarely uses more than the first
/// few hundred bytes. Memory from malloc was used before, so all of it is resident. Of fresh pages, only those that
/// were written to are.
struct SessionMemory {
    /// The address of the frame buffer, nil while there is none. nghttp2 passes it to the functions below.
    private let frames: UnsafeMutablePointer<UnsafeMutableRawPointer?>

    init() {
        frames = .allocate(capacity: 1)
        frames.initialize(to: nil)
    }

    /// Must be called after the session is deleted.
    func release() {
        Self.give(frames.pointee, frames)
        frames.deallocate()
    }

    /// nghttp2 copies the structure.
    func withAllocator<Result>(_ body: (UnsafeMutablePointer<nghttp2_mem>) -> Result) -> Result {
        var allocator = nghttp2_mem(
            mem_user_data: frames,
            malloc: { size, frames in SessionMemory.allocate(size, frames) },
            free: { pointer, frames in SessionMemory.give(pointer, frames) },
            calloc: { count, size, _ in calloc(count, size) },
            realloc: { pointer, size, frames in SessionMemory.resize(pointer, size, frames) })
        return body(&allocator)
    }

    /// The frame buffer: the 16 KiB of a frame (RFC 9113, section 4.2) and a little more.
    private static let frameSize = 16 << 10
    private static let mappedSize = 20 << 10

    private static func allocate(_ size: Int, _ frames: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard size >= frameSize, size <= mappedSize, let place = place(frames), place.pointee == nil,
            let pages = map()
        else { return malloc(size) }
        place.pointee = pages
        return pages
    }

    private static func give(_ pointer: UnsafeMutableRawPointer?, _ frames: UnsafeMutableRawPointer?) {
        guard let pointer, let place = place(frames), place.pointee == pointer else { return free(pointer) }
        place.pointee = nil
        munmap(pointer, mappedSize)
    }

    private static func resize(
        _ pointer: UnsafeMutableRawPointer?, _ size: Int, _ frames: UnsafeMutableRawPointer?
    ) -> UnsafeMutableRawPointer? {
        // nghttp2 also uses realloc to allocate the frame buffer.
        guard let pointer else { return allocate(size, frames) }
        guard place(frames)?.pointee == pointer else { return realloc(pointer, size) }
        guard size > mappedSize else { return pointer }
        guard let moved = malloc(size) else { return nil }
        moved.copyMemory(from: pointer, byteCount: mappedSize)
        give(pointer, frames)
        return moved
    }

    private static func place(
        _ frames: UnsafeMutableRawPointer?
    ) -> UnsafeMutablePointer<UnsafeMutableRawPointer?>? {
        frames?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }

    /// Nil if the system has no more mappings; the caller then uses malloc.
    private static func map() -> UnsafeMutableRawPointer? {
        let pages = mmap(nil, mappedSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
        guard let pages, pages != MAP_FAILED else { return nil }
        // Neighbouring mappings merge. As a huge page they would be resident as a whole.
        madvise(pages, mappedSize, MADV_NOHUGEPAGE)
        return pages
    }
}
