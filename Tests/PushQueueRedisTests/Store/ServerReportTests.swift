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

    /// What INFO of Valkey has in common with that of Redis: `redis_version` stays at 7.2.4 in all its versions.
    private func valkey(_ version: String) -> String {
        """
        # Server\r
        redis_version:7.2.4\r
        server_name:valkey\r
        valkey_version:\(version)\r
        redis_git_sha1:00000000\r
        redis_mode:standalone\r
        server_mode:standalone\r
        os:Linux 6.1.0 x86_64\r
        run_id:0123456789abcdef0123456789abcdef01234567\r
        \r
        # Memory\r
        maxmemory:1073741824\r
        maxmemory_policy:noeviction\r
        \r
        # Persistence\r
        loading:0\r
        aof_enabled:1\r
        \r
        # Replication\r
        role:master\r
        connected_slaves:1\r
        \r
        """
    }

    @Test(arguments: ["7.2.5", "7.2.11", "8.0.1", "8.1.4", "9.0.0"])
    func valkeyIsTaken(version: String) throws {
        try ServerReport(valkey(version)).check()
        #expect(ServerReport(valkey(version)).warnings.isEmpty)
    }

    /// A Valkey that once drops the version of Redis.
    @Test func valkeyIsTakenByItsOwnVersion() {
        #expect(refusal(["redis_version": "unknown", "server_name": "valkey", "valkey_version": "10.0.0"]) == nil)
    }

    @Test func aRefusedValkeyIsToldByItsOwnVersion() throws {
        let text = try #require(
            refusal(["redis_version": "6.2.4", "server_name": "valkey", "valkey_version": "6.9.0"]))
        #expect(text.contains("Valkey 6.9.0"))
    }

    @Test func anEarlierServerIsRefused() throws {
        #expect(try #require(refusal(["redis_version": "6.2.14"])).contains("6.2.14"))
    }

    @Test func aServerThatEvictsIsRefused() throws {
        #expect(try #require(refusal(["maxmemory_policy": "allkeys-lru"])).contains("Set it to noeviction"))
    }

    @Test func aReplicaIsUnreachableBecauseItMayBecomeTheMaster() throws {
        let error = #expect(throws: QueueError.self) { try ServerReport(info(["role": "slave"])).check() }
        #expect(error?.code == .unreachable && error?.description.contains("Connect to its primary") == true)
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
            let error = #expect(throws: QueueError.self, "\(text)") { try ReadPosition(text: text) }
            #expect(error?.code == .invalidEntry)
        }
    }
}
