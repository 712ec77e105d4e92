import PushHTTP2
import Testing

@testable import PushSimulator

/// What an observer keeps of a request is the request.
@Suite("A request that an observer keeps") struct KeptRequestTests {
    private static let id = "123e4567-e89b-12d3-a456-426614174000"

    private func request(_ fields: [(String, String)], body: String = "{}", bodyCount: Int? = nil) -> PushRequest {
        var headers = HeaderBlock()
        for (name, value) in fields { headers.append(name: name, value: value) }
        return PushRequest(headers, body: Array(body.utf8), bodyCount: bodyCount ?? body.utf8.count)
    }

    private func fields(_ token: String, _ others: [(String, String)] = []) -> [(String, String)] {
        [(":method", "POST"), (":path", "/3/device/" + token), ("authorization", "bearer secret")] + others
            + [("apns-topic", "com.example.app")]
    }

    private func expectSame(_ kept: KeptRequest, _ request: PushRequest) {
        let again = kept.request
        #expect(again.headerLines == request.headerLines)
        #expect(again.body == request.body && again.bodyCount == request.bodyCount)
        #expect(again.deviceToken == request.deviceToken && again.messageID == request.messageID)
        #expect(again.topic == request.topic && again.pushType == request.pushType)
        #expect(again.hasDuplicate == request.hasDuplicate && again.bearer == nil)
    }

    @Test func isAsItCameWhateverCameBefore() {
        var keeper = RequestKeeper()
        let requests = [
            request(fields("aa")),
            request(fields("bb"), body: ""),
            request(fields("bb", [("apns-id", Self.id)]), body: String(repeating: "x", count: 5_000), bodyCount: 9_000),
            request(fields("cc", [("apns-id", Self.id), ("apns-push-type", "alert"), ("apns-id", "2")])),
            request(fields("", [("apns-id", ""), ("x", ""), ("", "y"), (":path", "/")])),
            request([]),
            request(fields("aa")),
        ]
        let kept = requests.map { keeper.keep($0, answeredID: nil) }
        for (kept, request) in zip(kept, requests) {
            expectSame(kept, request)
            #expect(kept.answeredID == nil)
        }
    }

    @Test func hasTheIDOfItsAnswer() {
        var keeper = RequestKeeper()
        let id = Octets(Array(Self.id.utf8))
        let request = request(fields("aa"))
        let kept = keeper.keep(request, answeredID: id)
        expectSame(kept, request)
        #expect(kept.answeredID == id && kept.request.messageID == nil)
    }

    @Test func takesLittleBesideTheOneBefore() {
        var keeper = RequestKeeper()
        let others = [("x-long", String(repeating: "x", count: 500))]
        let kept = ["aa", "bb", "cc"].map { keeper.keep(request(fields($0, others)), answeredID: nil) }
        let places = Set(kept.map { $0.common.bytes.withUnsafeBytes { Int(bitPattern: $0.baseAddress) } })
        #expect(places.count == 1 && kept.allSatisfy { $0.own.bytes.count < 100 })
        #expect(kept.allSatisfy { $0.bytes > 500 })
    }
}
