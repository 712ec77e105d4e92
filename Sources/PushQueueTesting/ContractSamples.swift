import FoundationEssentials
import PushQueue
import SupervisedPush
import Testing

/// A large entry: being taken does not say that it is offered.
let large = 600

/// An entry for this number of devices.
func sampleEntry(_ tokens: Int = 1, notBefore: Date? = nil, id: EntryID = EntryID()) throws -> QueueEntry {
    return try QueueEntry(
        .alert(title: "Flight A998", body: "Boarding"),
        to: (0..<tokens).map { try DeviceToken("\(id)" + String(0x1000 + $0, radix: 16)) }, id: id, notBefore: notBefore
    )
}

extension TakenEntry {
    /// The id of the entry; a random one if it cannot be read.
    var id: EntryID { (try? entry.get())?.id ?? EntryID() }

    /// An outcome of the token at this position.
    func row(_ index: Int, _ word: PushOutcome.Kind = .delivered) throws -> QueueOutcome {
        let entry = try entry.get()
        switch word {
        case .delivered:
            return QueueOutcome(
                entry: entry.id, index: index, token: entry.tokens[index],
                PushOutcome(.delivered, status: 200, apnsID: entry.id.apnsID(of: index), attempts: 1))
        case .rejected:
            return QueueOutcome(
                entry: entry.id, index: index, token: entry.tokens[index],
                PushOutcome(
                    .rejected, status: 410, reason: "Unregistered", apnsID: entry.id.apnsID(of: index),
                    timestamp: Date(timeIntervalSince1970: 1_700_000_000), attempts: 1))
        case .failed, .unknown:
            return QueueOutcome(
                entry: entry.id, index: index, token: entry.tokens[index],
                PushOutcome(
                    word, certainty: word == .failed ? .notSent : .unknown, reason: "interrupted",
                    apnsID: entry.id.apnsID(of: index)))
        }
    }

    /// Outcomes of all tokens, and the end of the entry.
    func settlement(_ word: PushOutcome.Kind = .delivered) throws -> Settlement {
        let entry = try entry.get()
        return Settlement(
            key, rows: try entry.tokens.indices.map { try row($0, word) }, fate: .done, campaign: entry.campaign)
    }
}

extension PushQueueStore {
    /// Puts one entry in.
    @discardableResult
    func put(_ tokens: Int = 1, notBefore: Date? = nil) async throws -> QueueEntry {
        let entry = try sampleEntry(tokens, notBefore: notBefore)
        try await enqueue([entry])
        return entry
    }

    /// Puts this many entries in, takes them, and settles each by itself.
    @discardableResult
    func settleNew(_ count: Int, _ word: PushOutcome.Kind = .delivered) async throws -> [QueueOutcome] {
        try await enqueue((0..<count).map { _ in try sampleEntry() })
        let settlements = try await take(as: .ann, tokens: count).map { try $0.settlement(word) }
        for settlement in settlements { try await settle(as: .ann, [settlement]) }
        return settlements.flatMap(\.rows)
    }

    /// Takes the one entry that there must be.
    func takeOne(
        as worker: WorkerID, location: SourceLocation = #_sourceLocation
    ) async throws -> TakenEntry {
        let taken = try await take(as: worker, tokens: 1_000)
        #expect(taken.count == 1, sourceLocation: location)
        return try #require(taken.first, sourceLocation: location)
    }

    /// Raises the worker's counter, and returns it.
    func counter(_ worker: WorkerID) async throws -> UInt64 {
        try #require(try await beat(as: worker)[worker])
    }

    /// Takes over all that the dead worker has.
    func reclaimAll(from dead: WorkerID, as worker: WorkerID, limit: Int = 100) async throws -> [TakenEntry] {
        let counter = try await beat(as: worker)[dead] ?? 0
        var all: [TakenEntry] = []
        while true {
            let page = try await reclaim(from: dead, at: counter, as: worker, limit: limit)
            guard !page.isEmpty else { return all }
            all += page
        }
    }

    func takenBy(_ worker: WorkerID) async throws -> Int { try await status().workers[worker]?.taken ?? 0 }

    func allOutcomes(_ list: OutcomeList = .all, marking: Bool = true) async throws -> [QueueOutcome] {
        var all: [QueueOutcome] = []
        var position: String?
        while true {
            let page = try await outcomes(list, after: position, limit: 1_000, marking: marking)
            guard !page.outcomes.isEmpty else { return all }
            all += page.outcomes
            position = page.position
        }
    }
}

/// The code of the error that the call throws; nil if it throws none.
func code(_ call: () async throws -> Void) async -> QueueError.Code? {
    do {
        try await call()
        return nil
    } catch { return (error as? QueueError)?.code }
}
