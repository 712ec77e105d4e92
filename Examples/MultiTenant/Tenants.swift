import SupervisedPush

/// A customer of the provider, with an app and a signing key of its own.
struct Tenant: Sendable {
    let id: String
    let credential: Credential
    let topic: String
}

/// The connections of all tenants. Each is made at the tenant's first push; its failures, its queue and its provider token are its own.
struct Tenants: Sendable {
    private let runtime: PushRuntime
    private let template: PushConnection.Configuration.Template

    /// - Parameter template: What the configurations of all tenants have in common.
    init(_ runtime: PushRuntime, template: PushConnection.Configuration.Template) {
        self.runtime = runtime
        self.template = template
    }

    /// The tenant's connection, which is made if there is none.
    func connection(for tenant: Tenant) throws(ConnectError) -> PushConnection {
        try runtime.connection(named: tenant.id, orConnect: config(of: tenant))
    }

    private func config(of tenant: Tenant) -> PushConnection.Configuration {
        template.config(credential: tenant.credential).with { $0.defaults.topic = Topic(tenant.topic) }
    }

    /// Closes the connection of a tenant that has left, or has been idle for long. The next push makes another one.
    func close(_ tenant: Tenant) async { _ = try? await runtime.close(name: tenant.id) }
}
