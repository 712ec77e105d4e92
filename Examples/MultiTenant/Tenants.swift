import SupervisedPush

/// A customer of the provider, with an app and a signing key of its own.
struct Tenant: Sendable {
    let id: String
    let key: ByteSource
    let keyID: String
    let teamID: String
    let topic: String
}

/// The connections of all tenants. Each is made at the tenant's first push; its failures, its queue and its provider token are its own.
struct Tenants: Sendable {
    private let runtime: PushRuntime
    private let base: ConnectionConfig

    /// - Parameter base: What the configurations of all tenants have in common.
    init(_ runtime: PushRuntime, base: ConnectionConfig) {
        self.runtime = runtime
        self.base = base
    }

    /// The tenant's connection, which is made if there is none.
    func connection(for tenant: Tenant) throws -> PushConnection {
        if let connection = try? runtime.connection(named: tenant.id) { return connection }
        var config = base
        config.credential = .token(key: tenant.key, keyID: tenant.keyID, teamID: tenant.teamID)
        config.defaults.topic = Topic(tenant.topic)
        // One tenant's outage must not use up the memory of all.
        config.maxWaiting = 1_000
        do throws(ConnectError) { return try runtime.connect(name: tenant.id, config: config) } catch {
            // Another task may have been quicker.
            guard error.code == .nameTaken else { throw error }
            return try runtime.connection(named: tenant.id)
        }
    }

    /// Closes the connection of a tenant that has left, or has been idle for long. The next push makes another one.
    func close(_ tenant: Tenant) async { _ = try? await runtime.close(name: tenant.id) }
}
