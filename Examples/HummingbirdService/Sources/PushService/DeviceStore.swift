import Foundation
import GRDB
import SupervisedPush

/// A device that a user registered.
struct Device: Codable, FetchableRecord, PersistableRecord {
    var token: String
    var user: String
    var registeredAt: Date
}

/// The device tokens, in SQLite.
struct DeviceStore: Sendable {
    private let database: DatabaseQueue

    /// - Parameter path: The database file; nil keeps everything in memory.
    init(path: String? = nil) throws {
        database = try path.map { try DatabaseQueue(path: $0) } ?? DatabaseQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("devices") { database in
            try database.create(table: "device") { table in
                table.primaryKey("token", .text)
                table.column("user", .text).notNull().indexed()
                table.column("registeredAt", .datetime).notNull()
            }
        }
        try migrator.migrate(database)
    }

    /// Adds the device, or notes that it is still in use: both make its token valid from now on.
    func register(_ token: DeviceToken, for user: String, at date: Date = .now) async throws {
        let device = Device(token: token.hex, user: user, registeredAt: date)
        try await database.write { try device.save($0) }
    }

    func devices(of user: String) async throws -> [DeviceToken] {
        try await database.read { database in
            try Device.filter(Column("user") == user).fetchAll(database).map { try DeviceToken($0.token) }
        }
    }

    /// Deletes a device that APNs reports as gone, unless it was registered again since.
    func prune(_ event: FeedbackEvent) async throws {
        try await database.write { database in
            guard let device = try Device.fetchOne(database, key: event.deviceToken.hex) else { return }
            if event.invalidates(registeredAt: device.registeredAt) { try device.delete(database) }
        }
    }
}
