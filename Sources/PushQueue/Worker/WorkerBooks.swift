import SupervisedPush

/// The books of the entries that a worker has, by their keys and by their numbers.
struct WorkerBooks {
    private var byKey: [TakenEntry.Key: WorkerBook] = [:]
    private var byNumber: [Int: WorkerBook] = [:]
    private var lastNumber = 0

    subscript(key: TakenEntry.Key) -> WorkerBook? { byKey[key] }

    /// Opens a book for an entry. For one that has a book, its retries alone are new.
    mutating func open(_ entry: TakenEntry) {
        if let book = byKey[entry.key] { return book.retries = entry.retries }
        lastNumber += 1
        let book = WorkerBook(entry, number: lastNumber)
        (byKey[entry.key], byNumber[lastNumber]) = (book, book)
    }

    mutating func remove(_ key: TakenEntry.Key) {
        if let book = byKey.removeValue(forKey: key) { byNumber[book.number] = nil }
    }

    mutating func removeAll() { (byKey, byNumber) = ([:], [:]) }

    /// The pushes that have not ended, the latest first.
    ///
    /// - Parameter key: Only those of this entry; nil for all.
    func handles(of key: TakenEntry.Key?) -> [PushHandle] {
        let books = key.map { byKey[$0].map { [$0] } ?? [] } ?? Array(byKey.values)
        return books.flatMap(\.handles).sorted { $0.id > $1.id }
    }

    // MARK: Tickets

    /// The ticket of a token's push: the number of its book, and its position in the entry in the lowest ten bits.
    static func ticket(_ book: WorkerBook, _ index: Int) -> Int { book.number << 10 | index }

    /// Calls a closure for each element with a ticket of a book that is open, with the book and the token's position.
    func forEach<S: Sequence>(
        in elements: S, ticket: (S.Element) -> Int, _ body: (S.Element, WorkerBook, Int) -> Void
    ) {
        // Pushes of one entry mostly follow each other.
        var latest: WorkerBook?
        for element in elements {
            let ticket = ticket(element)
            let number = ticket >> 10
            if latest?.number != number { latest = byNumber[number] }
            if let latest { body(element, latest, ticket & 1_023) }
        }
    }
}
