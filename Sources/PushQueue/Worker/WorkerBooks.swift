import SupervisedPush

/// The books of the entries that a worker has, by their keys, and by the tickets of their pushes.
struct WorkerBooks {
    private var byKey: [TakenEntry.Key: WorkerBook] = [:]
    /// The books by their places. A ticket leads to one without a look into a dictionary.
    private var places: [WorkerBook?] = []
    private var free: [Int] = []
    private var opened = 0

    subscript(key: TakenEntry.Key) -> WorkerBook? { byKey[key] }

    /// Opens a book for an entry. For one that has a book, its retries alone are new.
    mutating func open(_ entry: TakenEntry) {
        if let book = byKey[entry.key] { return book.retries = entry.retries }
        let place = free.popLast() ?? places.count
        opened += 1
        let book = WorkerBook(entry, number: Self.number(opened, at: place))
        byKey[entry.key] = book
        if place == places.count { places.append(book) } else { places[place] = book }
    }

    mutating func remove(_ key: TakenEntry.Key) {
        guard let book = byKey.removeValue(forKey: key) else { return }
        let place = Self.place(of: book.number)
        places[place] = nil
        free.append(place)
    }

    mutating func removeAll() { (byKey, places, free) = ([:], [], []) }

    /// The pushes that have not ended, the latest first.
    ///
    /// - Parameter key: Only those of this entry; nil for all.
    func pushes(of key: TakenEntry.Key?) -> [AcceptedPush] {
        let books = key.map { byKey[$0].map { [$0] } ?? [] } ?? Array(byKey.values)
        return books.flatMap(\.pushes).sorted { $0.id > $1.id }
    }

    // MARK: Numbers

    /// A book's number: how many were opened before, and its place in the lowest 25 bits. It is another one after 2²⁸
    /// books, so a ticket of a closed book finds none.
    private static func number(_ opened: Int, at place: Int) -> Int {
        (opened & (1 << 28 - 1)) << 25 | place & (1 << 25 - 1)
    }

    private static func place(of number: Int) -> Int { number & (1 << 25 - 1) }

    /// The ticket of a token's push: the number of its book, and its position in the entry in the lowest ten bits.
    static func ticket(_ book: WorkerBook, _ index: Int) -> Int { book.number << 10 | index }

    /// What tickets lead to.
    var tickets: Tickets { Tickets(places) }

    /// Finds the books of tickets, of which those of one entry mostly follow each other.
    struct Tickets {
        private let places: [WorkerBook?]
        private var latest: WorkerBook?

        fileprivate init(_ places: [WorkerBook?]) { self.places = places }

        /// The token that a push is for; nil if the book of its entry was not open any more.
        mutating func find(_ ticket: Int) -> (book: WorkerBook, index: Int)? {
            let number = ticket >> 10
            if latest?.number != number {
                let place = WorkerBooks.place(of: number)
                guard places.indices.contains(place), let book = places[place], book.number == number else {
                    return nil
                }
                latest = book
            }
            return latest.map { ($0, ticket & 1_023) }
        }
    }
}
