import SupervisedPush

/// The books of the entries that a worker has, by their keys and by their numbers.
struct WorkerBooks {
    private var byKey: [TakenEntry.Key: WorkerBook] = [:]
    private var byNumber: [Int: WorkerBook] = [:]
    private var opened = 0

    subscript(key: TakenEntry.Key) -> WorkerBook? { byKey[key] }

    /// Opens a book for an entry. For one that has a book, its retries alone are new.
    mutating func open(_ entry: TakenEntry) {
        if let book = byKey[entry.key] { return book.retries = entry.retries }
        opened += 1
        let book = WorkerBook(entry, number: opened)
        (byKey[entry.key], byNumber[opened]) = (book, book)
    }

    mutating func remove(_ key: TakenEntry.Key) {
        if let book = byKey.removeValue(forKey: key) { byNumber[book.number] = nil }
    }

    mutating func removeAll() { (byKey, byNumber) = ([:], [:]) }

    /// The pushes that have not ended, the latest first.
    ///
    /// - Parameter key: Only those of this entry; nil for all.
    func pushes(of key: TakenEntry.Key?) -> [AcceptedPush] {
        let books = key.map { byKey[$0].map { [$0] } ?? [] } ?? Array(byKey.values)
        return books.flatMap(\.pushes).sorted { $0.id > $1.id }
    }

    // MARK: Tickets

    /// The ticket of a token's push: the number of its book, and its position in the entry in the lowest ten bits.
    static func ticket(_ book: WorkerBook, _ index: Int) -> Int { book.number << 10 | index }

    /// What tickets lead to.
    var tickets: Tickets { Tickets(byNumber) }

    /// Finds the books of tickets, of which those of one entry mostly follow each other.
    struct Tickets {
        private let byNumber: [Int: WorkerBook]
        private var latest: WorkerBook?

        fileprivate init(_ byNumber: [Int: WorkerBook]) { self.byNumber = byNumber }

        /// The token that a push is for; nil if the book of its entry was not open any more.
        mutating func find(_ ticket: Int) -> (book: WorkerBook, index: Int)? {
            let number = ticket >> 10
            if latest?.number != number { latest = byNumber[number] }
            return latest.map { ($0, ticket & 1_023) }
        }
    }
}
