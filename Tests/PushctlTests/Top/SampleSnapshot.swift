import Foundation
import SupervisedPush

/// Makes snapshots by way of the JSON that a status socket writes.
struct SampleSnapshot {
    typealias Object = [String: Any]

    var children: [Object] = []
    var pools: [Object] = []
    var program = "orders-service"
    var processID = 4_711
    var uptime = 754.0
    /// Names and causes.
    var unconnected: [(String, String)] = []

    /// The moment of every snapshot, in seconds since 1970.
    static let time = 1_795_340_000.0

    func decoded() throws -> StatusSnapshot {
        var object: Object = [
            "version": 1, "program": program, "processID": processID, "time": Self.time, "uptimeSeconds": uptime,
            "tree": ["children": children, "pools": pools],
        ]
        if !unconnected.isEmpty { object["unconnected"] = unconnected.map { ["name": $0, "cause": $1] } }
        return try StatusSnapshot.decode(JSONSerialization.data(withJSONObject: object))
    }

    mutating func add(
        _ id: String, parent: String? = nil, member: Int? = nil, state: String = "running", _ status: Object
    ) {
        var child: Object = ["id": id, "state": state, "recentRestarts": 0, "status": status]
        child["parent"] = parent
        child["member"] = member
        children.append(child)
    }

    mutating func addPool(_ id: String, _ status: Object) {
        pools.append(["id": id, "state": "running", "recentRestarts": 0, "status": status])
    }

    /// A status.
    ///
    /// - Parameters:
    ///   - counters: Those that are not 0.
    ///   - changes: Other members of the object.
    static func status(
        _ name: String?, phase: String = "up", counters: Object = [:], _ changes: Object = [:]
    ) throws -> Object {
        let none = try JSONSerialization.jsonObject(with: JSONEncoder().encode(ConnectionCounters()))
        var status: Object = [
            "phase": phase, "pid": "<7>", "host": "api.push.apple.com", "port": 443, "generation": 1,
            "credential": ["kind": "key", "keyID": "ABC123DEFG", "teamID": "DEF123GHIJ"], "inFlight": 0, "waiting": 0,
            "waitingBytes": 0, "streamLimit": 1_000, "isThrottled": false, "openStreams": 0, "lateStreams": 0,
            "drainingLinks": 0, "counters": (none as? Object ?? [:]).merging(counters) { _, new in new },
        ]
        status["name"] = name
        return status.merging(changes) { _, new in new }
    }

    /// Why no link is up.
    static func outage(_ cause: String, attempt: Int = 3, in seconds: Double? = 4) -> Object {
        var outage: Object = ["layer": "socket", "cause": cause, "attempt": attempt]
        outage["nextAttempt"] = seconds.map { time + $0 }
        return ["outage": outage]
    }
}
