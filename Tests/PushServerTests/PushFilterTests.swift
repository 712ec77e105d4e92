import Testing

@testable import PushServer
@testable import PushSimulator

@Suite("A filter of the inbox") struct PushFilterTests {
    private static let pushes = [
        InboxPush.sample(1, topic: "com.example.app", token: "AABB01"),
        InboxPush.sample(2, topic: "com.example.app.voip", type: "voip", token: "ccdd", connection: 2),
        InboxPush.sample(3, token: "aabb02", refusal: .unregistered, keyID: "KEYAAAAAAA"),
        InboxPush.sample(4, type: "background", refusal: .internalServerError, payload: #"{"Order":"A998"}"#),
    ]

    private func found(_ parameters: [String: String]) throws -> [Int] {
        let filter = try PushFilter(parameters, sessions: [:])
        return Self.pushes.filter(filter.matches).map(\.number)
    }

    @Test(
        arguments: [
            ([:], [1, 2, 3, 4]), (["topic": "com.example.app"], [1, 3, 4]), (["type": "voip"], [2]),
            (["token": "aaBB"], [1, 3, 4]), (["token": "aabb01"], [1]), (["status": "410"], [3]),
            (["status": "5xx"], [4]),
            (["status": "accepted"], [1, 2]), (["status": "refused"], [3, 4]), (["reason": "Unregistered"], [3]),
            (["key": "KEYAAAAAAA"], [3]), (["connection": "2"], [2]), (["text": "a998"], [4]), (["text": "ORDER"], [4]),
            (["text": "apns-push-type: voip"], [2]), (["text": ""], [1, 2, 3, 4]),
            (["topic": "com.example.app", "status": "refused"], [3, 4]), (["channel": "x"], []),
        ] as [([String: String], [Int])])
    func meansThePushesThatFulfilAllItsConditions(_ parameters: [String: String], _ numbers: [Int]) throws {
        #expect(try found(parameters) == numbers)
    }

    @Test func takesAPushWithoutATypeAsAnAlert() throws {
        #expect(try found(["type": "alert"]) == [1, 3])
    }

    @Test(arguments: ["99", "600", "2x", "9xx", "x", "", "-200", "0xx"])
    func refusesAStatusThatThereIsNot(_ status: String) {
        #expect(throws: InboxProblem.self) { try PushFilter(["status": status], sessions: [:]) }
    }

    @Test func namesTheParameterThatIsWrong() throws {
        let long = #expect(throws: InboxProblem.self) {
            try PushFilter(["text": String(repeating: "x", count: 1_025)], sessions: [:])
        }
        #expect(long?.status == 400 && long?.detail.contains("The parameter text") == true)
        let connection = #expect(throws: InboxProblem.self) { try PushFilter(["connection": "one"], sessions: [:]) }
        #expect(connection?.detail.contains("The parameter connection") == true)
    }

    @Test func findsTextAtBothEnds() {
        let bytes = Array("abcABC".utf8)
        for wanted in ["abca", "cabc", "abcabc", "c", "a", ""] {
            #expect(TextSearch.finds(Array(wanted.utf8), in: bytes), "\(wanted)")
        }
        for absent in ["abcabca", "ac", "d"] { #expect(!TextSearch.finds(Array(absent.utf8), in: bytes), "\(absent)") }
    }

    // MARK: Queries

    @Test(
        arguments: [
            ("a=1&b=2", ["a": "1", "b": "2"]), ("a=x+y%20z", ["a": "x y z"]), ("a=1&a=2", ["a": "2"]), ("a", ["a": ""]),
            ("a=b=c", ["a": "b=c"]), ("%61=%C3%A9", ["a": "é"]), ("a=%zz%4", ["a": "%zz%4"]), ("a=%+4", ["a": "% 4"]),
            ("", [:]), ("&&", [:]), ("a=%FF", ["a": "\u{FFFD}"]),
        ] as [(String, [String: String])])
    func aQueryIsReadAsFormsWriteIt(_ query: String, _ fields: [String: String]) {
        #expect(FormText.fields(query) == fields)
    }

    @Test func inAPathAPlusSignIsOne() {
        #expect(FormText.percentDecoded("a+b%20c%2Fd") == "a+b c/d")
    }
}

@Suite("Near misses") struct NearMissTests {
    @Test func areThoseThatDifferLeastAndOfTheseTheNewest() throws {
        let pushes = [
            InboxPush.sample(1, topic: "com.example.shop", token: "ff"), InboxPush.sample(2, token: "ff"),
            InboxPush.sample(3, topic: "com.example.shop", token: "ff", refusal: .unregistered),
            InboxPush.sample(4, token: "ee"), InboxPush.sample(5, topic: "com.example.shop"),
        ]
        var filter = PushFilter()
        filter.topic = "com.example.app"
        filter.token = "aabb"
        filter.status = .accepted
        let misses = NearMiss.closest(to: filter, in: pushes)
        #expect(misses.map(\.push.number) == [5, 4, 2])
        #expect(misses.map { $0.differences.map(\.field) } == [["topic"], ["token"], ["token"]])
        #expect(
            misses[0].differences == [.init(field: "topic", expected: "com.example.app", actual: "com.example.shop")])
    }

    @Test func leaveOutWhatIsMeant() {
        #expect(NearMiss.closest(to: PushFilter(), in: [InboxPush.sample()]).isEmpty)
    }

    @Test func nameEachConditionThatFails() throws {
        let parameters = [
            "topic": "t", "type": "voip", "token": "ff", "status": "410", "reason": "BadTopic", "text": "zzz",
            "key": "k",
            "channel": "c", "connection": "7", "session": "s",
        ]
        let filter = try PushFilter(parameters, sessions: [:])
        let differences = filter.differences(of: .sample())
        #expect(Set(differences.map(\.field)) == Set(PushFilter.parameters))
        // What differs is what does not match.
        #expect(!filter.matches(.sample()))
    }
}

@Suite("A session") struct PushSessionTests {
    @Test func coversWhatFulfilsAllItsConditions() {
        let session = PushSession(name: "s", topic: "com.example.app", token: "AA", keyID: "K")
        #expect(session.covers(.sample(keyID: "K")))
        #expect(!session.covers(.sample(keyID: "L")))
        #expect(!session.covers(.sample(topic: "com.example.shop", keyID: "K")))
        #expect(!session.covers(.sample(token: "bb", keyID: "K")))
    }

    @Test func coversAPushThatCarriesItsName() {
        let named = InboxPush.sample(headers: [("x-push-session", "test 7")])
        #expect(PushSession(name: "test 7").covers(named))
        #expect(!PushSession(name: "test").covers(named))
        #expect(PushSession(name: "test 7", topic: "another").covers(named))
    }

    @Test func withoutAConditionCoversNothingElse() {
        #expect(!PushSession(name: "s").covers(.sample()))
    }

    @Test func isFoundByTheParameterBeforeTheHeader() throws {
        let sessions = ["a": PushSession(name: "a", topic: "ta"), "b": PushSession(name: "b", topic: "tb")]
        #expect(try PushFilter(["session": "a"], sessions: sessions, header: "b").session?.topic == "ta")
        #expect(try PushFilter([:], sessions: sessions, header: "b").session?.topic == "tb")
    }

    @Test func isOneOfABoundedNumber() {
        var book = SessionBook()
        let first = (0..<SessionBook.most).map { book.put(PushSession(name: "\($0)")) }
        #expect(first.allSatisfy { $0 })
        let (more, again) = (book.put(PushSession(name: "more")), book.put(PushSession(name: "7", topic: "t")))
        #expect(!more && again && book.sessions["7"]?.topic == "t")
        let (removed, twice, then) = (book.remove("7"), book.remove("7"), book.put(PushSession(name: "more")))
        #expect(removed && !twice && then)
    }
}
