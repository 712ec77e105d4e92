import PushQueue
import PushSQLite

/// How a queue is steered.
extension QueueFile {
    func steering() throws -> QueueSteering {
        try sql.steering.bind(1, queue)
        defer { sql.steering.reset() }
        guard try sql.steering.step() else { return QueueSteering() }
        let rate = sql.steering.text(1).flatMap { Double($0) }
        return QueueSteering(
            isPaused: sql.steering.integer(0) != 0,
            rate: rate.map { QueueRate(perSecond: $0, burst: sql.steering.isNull(2) ? nil : sql.steering.int(2)) })
    }

    /// Changes it. That is rare, so its statement is not kept.
    func steer(_ order: SteeringOrder) throws -> QueueSteering {
        try database.atomically {
            let next = try steering().after(order)
            let update = try database.prepare(
                "UPDATE queues SET paused = ?2, rate = CAST(?3 AS REAL), burst = ?4 WHERE queue = ?1")
            try update.bind(1, queue)
            try update.bind(2, Int64(next.isPaused ? 1 : 0))
            try update.bind(3, next.rate.map { "\($0.perSecond)" })
            if let burst = next.rate?.burst { try update.bind(4, Int64(burst)) }
            try update.run()
            return next
        }
    }
}
