import ProcessRuntime
import PushQueue

@testable import PushQueueRedis

/// A machine and its clock. The greeting is INFO, ROLE, PING.
struct Bench {
    typealias Machine = RedisConnectionMachine

    var machine: Machine
    var now = MonotonicInstant(nanoseconds: 0)

    static let welcome: [RedisReply] = [
        .bytes(Array("# Server\r\nredis_version:7.0.15\r\nrun_id:abc\r\n".utf8)),
        .array([.bytes(Array("master".utf8)), .integer(0), .array([])]), .status("PONG"),
    ]
    static let refusal = RedisFailure(.refused, "No.")
    static let outage = RedisFailure(.unreachable, "Gone.")

    static let open = Machine.Action.open(.server(RedisNode(host: "h", port: 6_379)))

    init(_ address: RedisServerAddress = RedisServerAddress(host: "h"), key: String? = nil) {
        var configuration = RedisConnection.Configuration(address)
        configuration.clientName = nil
        configuration.routingKey = key
        machine = Machine(configuration, seed: 1)
    }

    static func session(
        _ number: UInt64, isAnotherServer: Bool = false, at address: String = "redis://h:6379"
    ) -> RedisServerSession {
        RedisServerSession(
            number: number, server: "redis", version: "7.0.15", runID: "abc", role: .primary,
            isAnotherServer: isAnotherServer, address: address)
    }

    mutating func callAsFunction(_ event: Machine.Event) -> [Machine.Action] { machine.handle(event, now) }

    mutating func call(_ id: UInt64, replies: Int = 1, within limit: Duration = .seconds(5)) -> [Machine.Action] {
        self(.called(id, replies: replies, bytes: 10, deadline: now.advanced(by: limit)))
    }

    mutating func connect() -> [Machine.Action] { self(.opened) + self(.received(Self.welcome)) }

    /// Goes to the machine's next instant.
    mutating func wake() -> [Machine.Action] {
        now = machine.nextWake ?? .distantFuture
        return self(.timePassed)
    }

    static func ready() -> Bench {
        var bench = Bench()
        _ = bench(.started)
        _ = bench.connect()
        return bench
    }

    static func mayHaveBeenExecuted(_ failure: RedisFailure) -> RedisFailure {
        RedisFailure(.unreachable, "\(failure) The call was written before: it may have been executed.")
    }
}
