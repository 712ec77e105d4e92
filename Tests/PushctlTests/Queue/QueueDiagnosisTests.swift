import PushQueue
import PushQueueRedis
import PushQueueSQLite
import PushTerminal
import Testing

@testable import pushctl

@Suite struct QueueDiagnosisTests {
    private static let info = [
        "redis_version": "7.0.15", "role": "master", "connected_slaves": "1", "maxmemory_policy": "noeviction",
        "maxmemory": "1000000", "used_memory": "2000", "aof_enabled": "1", "aof_last_write_status": "ok",
    ]

    private func server(_ changes: [String: String] = [:], _ change: (inout RedisQueueFacts) -> Void = { _ in })
        -> QueueFacts
    {
        var redis = RedisQueueFacts()
        redis.info = Self.info.merging(changes) { $1 }
        redis.roundTrips = Array(repeating: .milliseconds(1), count: 20)
        (redis.clockAhead, redis.appendfsync, redis.isThere, redis.hasGroup) = (0, "everysec", true, true)
        change(&redis)
        var facts = QueueFacts(place: "redis://host:6379/0", name: "push", isServer: true)
        facts.store = .redis(redis)
        facts.status = .success(QueueStatus())
        return facts
    }

    private func file(_ change: (inout SQLiteQueueFacts) -> Void = { _ in }) -> QueueFacts {
        var file = SQLiteQueueFacts()
        (file.mode, file.isWritable, file.names, file.freeBytes) = (0o600, true, ["push"], 1 << 40)
        change(&file)
        var facts = QueueFacts(place: "q.db", name: "push", isServer: false)
        facts.store = .file(file)
        facts.status = .success(QueueStatus())
        return facts
    }

    /// The layers that are not as they should be.
    private func problems(_ facts: QueueFacts) -> [String] {
        QueueDiagnosis(facts).verdicts.filter { $0.verdict != .ok }.map { "\($0.name) \($0.verdict.rawValue)" }
    }

    @Test func aHealthyQueueIsWell() {
        for facts in [server(), file()] {
            let diagnosis = QueueDiagnosis(facts)
            #expect(problems(facts).isEmpty && diagnosis.status == .success && diagnosis.overall == .ok)
            #expect(diagnosis.explanation(withDetails: true) == "All is well: the queue can be used.")
        }
    }

    @Test(arguments: [
        (["maxmemory_policy": "allkeys-lru"], "policy fail", PushTerminal.ExitStatus.configuration),
        (["redis_version": "6.2.0"], "server fail", .configuration), (["role": "slave"], "server fail", .unavailable),
        (["aof_enabled": "0"], "durability warning", .success), (["maxmemory": "0"], "memory warning", .success),
        (["used_memory": "900000"], "memory warning", .success),
        (["aof_last_write_status": "err"], "durability warning", .success),
    ])
    func aServerIsJudgedByItsInfo(_ change: [String: String], _ expected: String, _ status: PushTerminal.ExitStatus) {
        #expect(problems(server(change)) == [expected])
        #expect(QueueDiagnosis(server(change)).status == status)
    }

    @Test func aServerIsJudgedByItsKeysItsDelayAndItsClock() {
        #expect(problems(server { $0.roundTrips = [.milliseconds(30)] }) == ["delay warning"])
        #expect(problems(server { $0.clockAhead = -6 }) == ["clock warning"])
        let wrong = server { $0.wrongTypes = ["push:{push} is a string, not a stream"] }
        #expect(problems(wrong) == ["queue fail"] && QueueDiagnosis(wrong).status == .configuration)
    }

    @Test func aFileIsJudged() {
        #expect(problems(file { $0.mode = 0o644 }) == ["file warning"])
        #expect(problems(file { $0.isWritable = false }) == ["file warning"])
        #expect(problems(file { $0.problems = ["row 1 missing from index"] }) == ["integrity fail"])
        #expect(problems(file { $0.logBytes = 1 << 30 }) == ["durability warning"])
        #expect(problems(file { $0.freeBytes = 1 << 20 }) == ["disk warning"])
    }

    @Test func whatIsInAQueueIsJudged() {
        var facts = file()
        var status = QueueStatus()
        (status.waiting, status.dead, status.outcomesCut) = (5, 1, 7)
        facts.status = .success(status)
        #expect(problems(facts) == ["outcomes warning", "dead warning", "workers warning"])
        status.workers = [WorkerID("a"): WorkerStanding(taken: 1, silence: .seconds(40))]
        facts.status = .success(status)
        let diagnosis = QueueDiagnosis(facts)
        #expect(diagnosis.verdicts.last?.detail.contains("worker a: 1 taken, silent for 40 s") == true)
        #expect(diagnosis.status == .success && diagnosis.overall == .warning)
    }

    @Test func withoutAnAnswerTheRestIsNotTested() {
        var facts = QueueFacts(place: "redis://host", name: "push", isServer: true)
        facts.store = .failed(QueueError(.unreachable, "There is no connection to redis://host."))
        let diagnosis = QueueDiagnosis(facts)
        #expect(diagnosis.status == .unavailable && diagnosis.verdicts.count(where: { $0.verdict == .skipped }) == 12)
        #expect(diagnosis.text(.plain).contains("not tested: server, rights, policy"))
    }

    @Test func aRightThatAWorkerNeedsIsAFailure() {
        let facts = server { $0.missingRights = ["xdel", "zadd"] }
        let diagnosis = QueueDiagnosis(facts)
        #expect(problems(facts) == ["rights fail"] && diagnosis.status == .configuration)
        #expect(diagnosis.text(.plain).contains("+xdel +zadd"))
        #expect(problems(server { $0.rightsProblem = "The server refused it." }) == ["rights fail"])
    }

    @Test func aSuspendedWorkerNeedsALook() {
        var facts = server()
        var status = QueueStatus()
        status.workers[WorkerID("a")] = WorkerStanding(silence: .seconds(1), note: "APNs refuses the credential.")
        status.workers[WorkerID("b")] = WorkerStanding(silence: .seconds(1))
        facts.status = .success(status)
        #expect(problems(facts) == ["workers warning"] && QueueDiagnosis(facts).status == .success)
        facts.failsOnWarning = true
        #expect(QueueDiagnosis(facts).status == .rejectedOrFailed && QueueDiagnosis(facts).overall == .warning)
        let detail = QueueDiagnosis(facts).verdicts.last?.detail
        #expect(detail?.hasPrefix("2 alive, 1 suspended; worker a: ") == true)
        #expect(detail?.hasSuffix("suspended: APNs refuses the credential.") == true)
    }

    @Test func aSignalEndsItWithItsCode() {
        var facts = QueueFacts(place: "q.db", name: "push", isServer: false)
        facts.signal = .interrupt
        let diagnosis = QueueDiagnosis(facts)
        #expect(diagnosis.status == .interrupted && diagnosis.overall == .skipped)
    }

    @Test(
        arguments: [
            (0, "0 bytes"), (999, "999 bytes"), (1_000, "1.0 kB"), (1_500_000, "1.5 MB"), (2_000_000_000_000, "2.0 TB"),
        ] as [(Int64, String)])
    func bytesAreInDecimalUnits(_ count: Int64, _ text: String) { #expect(Figures.bytes(count) == text) }
}
