import CPushHiredis
import PushQueue

/// The protocol of Redis (RESP2) without I/O: bytes in, replies out, in the order of the commands.
///
/// Not thread-safe: it belongs to one connection. After an error it is of no use, because the place where the next
/// reply begins is lost.
final class RedisSession {
    /// The largest reply, in bytes on the wire.
    static let replyLimit = 64 << 20
    /// How many bytes the reader gets at once.
    private static let pieceSize = 64 << 10

    private let reader: UnsafeMutablePointer<redisReader>
    private let functions: UnsafeMutablePointer<redisReplyObjectFunctions>
    private let sink: UnsafeMutablePointer<cpush_redis_sink>
    private let limit: Int
    private var builder = RedisReplyBuilder()
    /// Bytes since the end of the last complete reply, at least.
    private var unfinished = 0
    private var failure: RedisFailure?

    /// - Parameter limit: The largest reply, in bytes on the wire.
    init(limit: Int = replyLimit) throws(RedisFailure) {
        let functions = UnsafeMutablePointer<redisReplyObjectFunctions>.allocate(capacity: 1)
        functions.initialize(to: redisReplyObjectFunctions())
        cpush_redis_fill(functions)
        guard let reader = redisReaderCreateWithFunctions(functions) else {
            functions.deallocate()
            throw RedisFailure(.failed, "hiredis has no memory for a reader. Check this machine's memory.")
        }
        self.limit = limit
        self.functions = functions
        self.reader = reader
        sink = .allocate(capacity: 1)
        sink.initialize(
            to: cpush_redis_sink(
                text: takeText, number: takeNumber, context: Unmanaged.passUnretained(self).toOpaque()))
        cpush_redis_attach(reader, sink)
    }

    deinit {
        redisReaderFree(reader)
        sink.deallocate()
        functions.deallocate()
    }

    /// Reads bytes of the server, in pieces of any size, and appends the replies that are complete.
    ///
    /// - Throws: `failed` if the bytes are not RESP2, or a reply is too large. Replies before that are appended.
    func receive(_ bytes: UnsafeRawBufferPointer, into replies: inout [RedisReply]) throws(RedisFailure) {
        if let failure { throw failure }
        defer {
            if !builder.replies.isEmpty {
                replies.append(contentsOf: builder.replies)
                builder.replies.removeAll(keepingCapacity: builder.replies.count < 4_096)
            }
        }
        var rest = bytes
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.pieceSize))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
            try feed(piece)
        }
    }

    private func feed(_ piece: UnsafeRawBufferPointer) throws(RedisFailure) {
        guard redisReaderFeed(reader, piece.baseAddress, piece.count) == REDIS_OK else { throw end(reason) }
        unfinished += piece.count
        let before = builder.replies.count
        var count = before
        while true {
            var reply: UnsafeMutableRawPointer?
            guard redisReaderGetReply(reader, &reply) == REDIS_OK else { throw end(reason) }
            guard reply != nil else { break }
            count += 1
            // The reader takes types of RESP3, too, of which it does not tell the builder.
            guard builder.replies.count == count, !builder.isInside else { throw end("a type that is not of RESP2") }
        }
        if count > before { unfinished = piece.count }
        if unfinished > limit { throw end("a reply of more than \(limit >> 20) MiB") }
    }

    private var reason: String { String(cString: cpush_redis_reason(reader)) }

    private func end(_ reason: String) -> RedisFailure {
        // The reader shows a byte that it does not know, and nothing longer.
        let error = RedisFailure(
            .failed,
            "The server's answer is not what Redis sends (\(reason)). Check the host and the port; a new connection is "
                + "needed.")
        failure = error
        return error
    }

    fileprivate func take(_ type: Int32, bytes: UnsafeBufferPointer<UInt8>) {
        switch type {
        case REDIS_REPLY_STATUS: builder.add(.status(String(decoding: bytes, as: UTF8.self)))
        case REDIS_REPLY_ERROR: builder.add(.error(String(decoding: bytes, as: UTF8.self)))
        default: builder.add(.bytes(Array(bytes)))
        }
    }

    fileprivate func take(_ type: Int32, number: Int64) {
        switch type {
        case REDIS_REPLY_ARRAY: builder.addList(of: Int(clamping: number))
        case REDIS_REPLY_NIL: builder.add(.null)
        default: builder.add(.integer(number))
        }
    }
}

private func takeText(
    _ context: UnsafeMutableRawPointer?, _ type: Int32, _ bytes: UnsafePointer<CChar>?, _ count: Int
) {
    guard let context else { return }
    let bytes = UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count)
    Unmanaged<RedisSession>.fromOpaque(context).takeUnretainedValue()
        .take(type, bytes: bytes.bindMemory(to: UInt8.self))
}

private func takeNumber(_ context: UnsafeMutableRawPointer?, _ type: Int32, _ number: Int64) {
    guard let context else { return }
    Unmanaged<RedisSession>.fromOpaque(context).takeUnretainedValue().take(type, number: number)
}
