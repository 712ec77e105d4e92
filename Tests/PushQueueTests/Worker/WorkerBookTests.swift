import Foundation
import ProcessRuntime
import SupervisedPush
import Testing

@testable import PushQueue

@Suite struct WorkerBookTests {
    private func deadline(_ seconds: Double) throws -> MonotonicInstant? {
        let entry = try EntryFieldsTests.entry { $0.deadline = Date(timeIntervalSince1970: seconds) }
        return WorkerMachine.Facts(TakenEntry(TakenEntry.Key("a"), .success(entry)), SystemTime()).deadline
    }

    @Test func aDeadlineWithoutEndIsTheLastInstant() throws {
        #expect(try deadline(.infinity) == .distantFuture)
        #expect(try deadline(1e300) == .distantFuture)
        #expect(try #require(try deadline(-.infinity)) < SystemTime().now)
    }

    @Test func aDeadlineThatIsNoNumberIsNone() throws { #expect(try deadline(.nan) == nil) }

    /// A late answer must not end a token of another entry.
    @Test func aTicketOfAClosedBookFindsNone() throws {
        let entry = try EntryFieldsTests.entry()
        var books = WorkerBooks()
        var tickets: [Int] = []
        for name in ["a", "b", "c"] {
            let key = TakenEntry.Key(name)
            books.open(TakenEntry(key, .success(entry)))
            let book = try #require(books[key])
            tickets.append(WorkerBooks.ticket(book, 7))
            if name == "a" { books.remove(key) }
        }
        var finder = books.tickets
        #expect(tickets.map { finder.find($0)?.book.key.description } == [nil, "b", "c"])
        #expect(tickets.map { finder.find($0)?.index } == [nil, 7, 7])
    }
}
