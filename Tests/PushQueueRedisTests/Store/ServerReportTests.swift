import PushQueue
import PushQueueRedis
import Testing

@testable import PushQueueRedis

@Suite struct ServerReportTests {
    private func info(_ changes: [String: String] = [:]) -> String {
        let values = [
            "redis_version": "7.0.15", "role": "master", "maxmemory_policy": "noeviction", "aof_enabled": "1",
            "maxmemory": "1000000",
        ].merging(changes) { $1 }
        return "# Server\r\n" + values.map { "\($0):\($1)\r\n" }.joined()
    }

    private func refusal(_ changes: [String: String]) -> String? {
        do throws(QueueError) {
            try ServerReport(info(changes)).check()
            return nil
        } catch { return error.code == .refused ? error.description : "another code" }
    }

    @Test func aServerThatKeepsEverythingIsTaken() throws {
        #expect(refusal([:]) == nil)
        #expect(ServerReport(info()).warnings.isEmpty)
    }

    @Test func valkeyIsTaken() {
        #expect(refusal(["redis_version": "7.2.4", "server_name": "valkey", "valkey_version": "8.0.1"]) == nil)
    }

    @Test func anEarlierServerIsRefused() throws {
        #expect(try #require(refusal(["redis_version": "6.2.14"])).contains("6.2.14"))
    }

    @Test func aServerThatEvictsIsRefused() throws {
        #expect(try #require(refusal(["maxmemory_policy": "allkeys-lru"])).contains("Set it to noeviction"))
    }

    @Test func aReplicaIsUnreachableBecauseItMayBecomeTheMaster() throws {
        let error = #expect(throws: QueueError.self) { try ServerReport(info(["role": "slave"])).check() }
        #expect(error?.code == .unreachable && error?.description.contains("Connect to its master") == true)
    }

    @Test func whatIsMissingIsRefused() {
        #expect(throws: QueueError.self) { try ServerReport("").check() }
    }

    @Test func aServerWithoutAnAppendOnlyFileOrALimitIsWarnedOf() {
        #expect(ServerReport(info(["aof_enabled": "0", "maxmemory": "0"])).warnings.count == 2)
    }

    @Test func aNameThatEndsTheHashTagIsRefused() {
        for name in ["", "a}b", "{a"] {
            #expect(throws: QueueError.self, "\(name)") { try QueueKeys(name) }
        }
    }

    @Test func aPositionIsReadAsItWasWritten() throws {
        for text in ["17-0", "17-3/12"] { #expect(try ReadPosition(text: text).description == text) }
        for text in ["", "17", "17-", "a-b", "17-0/", "17-0/x", "1-2/3/4", "$", "-"] {
            #expect(throws: QueueError.self, "\(text)") { try ReadPosition(text: text) }
        }
    }
}
