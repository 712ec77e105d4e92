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

    /// Whether a token is the right one. The right one is so also after too many wrong ones, so that who guesses locks
    /// nobody out.
    ///
    /// - Parameter now: Seconds on any clock that only goes forward.
    func check(_ given: String, now: Int64) throws(InboxProblem) -> Bool {
        if Self.isSame(Array(given.utf8), token) { return true }
        guard book.withLock({ $0.failures.mayFail(now: now) }) else {
            throw InboxProblem(
                429, name: "too-many-tries", title: "There were too many wrong tokens, and this is another one.",
                detail: "Send the token with which the inbox was started.")
        }
        return false
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

    /// Counts a try that failed, and says whether it was one of those that may.
    mutating func mayFail(now: Int64) -> Bool {
        failures = max(0, failures - Int(clamping: max(0, now - last)))
        last = max(last, now)
        guard failures < most else { return false }
        failures += 1
        return true
    }
}
