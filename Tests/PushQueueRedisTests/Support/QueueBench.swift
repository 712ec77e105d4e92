import Foundation
import PushQueue
import PushQueueRedis
import QueueTestSupport
import SupervisedPush

/// A queue on a real server, with a client beside it for what an operator or another program does.
struct QueueBench: Sendable {
    let server: RedisServer
    let queue: RedisQueue
    let redis: RedisConnection
    let name: String

    init(_ server: RedisServer? = nil, options: RedisQueue.Configuration = RedisQueue.Configuration()) throws {
        self.server = try server ?? RedisServer()
        name = "bench-\(EntryID())"
        redis = try self.server.connect()
        queue = try RedisQueue(
            name, commands: self.server.connect(), waiting: self.server.connect(), configuration: options)
    }

    /// A key of the queue; nothing for its stream.
    func key(_ part: String = "") -> String { part.isEmpty ? "push:{\(name)}" : "push:{\(name)}:\(part)" }

    /// The same queue as another process sees it.
    func another(_ options: RedisQueue.Configuration = RedisQueue.Configuration()) throws -> RedisQueue {
        try RedisQueue(name, commands: server.connect(), waiting: server.connect(), configuration: options)
    }

    /// Puts one entry in.
    @discardableResult
    func put(_ tokens: Int = 1, notBefore: Date? = nil) async throws -> QueueEntry {
        let entry = try QueueEntry.sample(tokens, notBefore: notBefore)
        try await queue.enqueue([entry])
        return entry
    }

    /// How many entries each worker has that has some.
    func taken(_ queue: RedisQueue? = nil) async throws -> [WorkerID: Int] {
        try await (queue ?? self.queue).status().workers.mapValues(\.taken).filter { $0.value > 0 }
    }

    func rows(_ list: OutcomeList = .all) async throws -> [QueueOutcome] {
        try await queue.outcomes(list, after: nil, limit: 100_000).outcomes
    }
}

extension RedisServer {
    /// A client that also waits for a server that gets no processor time for a while.
    func connect() throws -> RedisConnection { try RedisConnection(.patient(url)) }
}

extension RedisConnection {
    /// One command of texts.
    @discardableResult
    func callAsFunction(_ words: String...) async throws(QueueError) -> RedisReply {
        try await execute([RedisCommand(words: words.map { Array($0.utf8) })])[0]
    }
}

extension RedisReply {
    /// The first element of a list.
    var first: RedisReply? {
        if case .array(let elements) = self { return elements.first }
        return nil
    }
}

extension QueueEntry {
    static func sample(_ tokens: Int = 1, notBefore: Date? = nil) throws -> QueueEntry {
        let id = EntryID()
        return try QueueEntry(
            .alert(title: "Flight A998", body: "Boarding"),
            to: (0..<tokens).map { try DeviceToken("\(id)" + String(0x1000 + $0, radix: 16)) }, id: id,
            notBefore: notBefore)
    }
}

extension TakenEntry {
    /// An outcome of each of the given tokens, by default of all: delivered, or the given word.
    func rows(_ indices: Range<Int>? = nil, _ word: PushOutcome.Kind = .delivered) throws -> [QueueOutcome] {
        let entry = try entry.get()
        return (indices ?? entry.tokens.indices).map {
            QueueOutcome(
                entry: entry.id, index: $0, token: entry.tokens[$0],
                PushOutcome(
                    word, certainty: word == .delivered || word == .rejected ? .answered : .unknown,
                    status: word == .delivered ? 200 : word == .rejected ? 410 : nil, apnsID: entry.id.apnsID(of: $0),
                    attempts: 1))
        }
    }

    func done(_ word: PushOutcome.Kind = .delivered) throws -> Settlement {
        Settlement(key, rows: try rows(nil, word), fate: .done)
    }
}

extension WorkerID {
    static let ann = WorkerID("ann-1")
    static let bob = WorkerID("bob-1")
}
