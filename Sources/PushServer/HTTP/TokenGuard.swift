import PushLocking

/// The token of an inbox that others than this machine reach: who has shown it, and how many tries failed.
final class TokenGuard: Sendable {
    /// How many failed tries there may be at once; one more each second.
    static let mostFailures = 10
    /// How many browsers may be signed in.
    static let mostCookies = 1_000
    static let cookie = "push_inbox"

    private struct Book {
        var cookies: [String] = []
        var failures = FailureLimit(most: TokenGuard.mostFailures)
    }

    private let token: [UInt8]
    private let book = Locked(Book())

    init(token: String) { self.token = Array(token.utf8) }

    /// Whether a token is the right one.
    ///
    /// - Parameter now: Seconds on any clock that only goes forward.
    func check(_ given: String, now: Int64) throws(InboxProblem) -> Bool {
        let mayTry = book.withLock { $0.failures.mayTry(now: now) }
        guard mayTry else {
            throw InboxProblem(
                429, "too-many-tries", "There were too many wrong tokens.", "Wait a second, then try again.")
        }
        let isRight = Self.isSame(Array(given.utf8), token)
        if !isRight { book.withLock { $0.failures.failed(now: now) } }
        return isRight
    }

    /// A value for a cookie that stands for the token.
    func newCookie() -> String {
        var generator = SystemRandomNumberGenerator()
        let value = (0..<4).map { _ in
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
        book.withLock { book in
            book.cookies.append(value)
            if book.cookies.count > Self.mostCookies { book.cookies.removeFirst() }
        }
        return value
    }

    func knows(cookie value: String) -> Bool {
        let value = Array(value.utf8)
        return book.withLock { $0.cookies }.reduce(false) { Self.isSame(value, Array($1.utf8)) || $0 }
    }

    /// Takes as long for a wrong first byte as for a wrong last one.
    static func isSame(_ given: [UInt8], _ wanted: [UInt8]) -> Bool {
        var difference = given.count ^ wanted.count
        for index in wanted.indices {
            difference |= Int((index < given.count ? given[index] : 0) ^ wanted[index])
        }
        return difference == 0
    }
}

/// How many tries may fail: some at once, then one a second.
struct FailureLimit: Sendable {
    private let most: Int
    private var failures = 0
    private var last: Int64 = 0

    init(most: Int) { self.most = most }

    mutating func mayTry(now: Int64) -> Bool {
        forget(now)
        return failures < most
    }

    mutating func failed(now: Int64) {
        forget(now)
        failures += 1
    }

    private mutating func forget(_ now: Int64) {
        failures = max(0, failures - Int(clamping: max(0, now - last)))
        last = max(last, now)
    }
}
