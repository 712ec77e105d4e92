import ArgumentParser
import SupervisedPush

/// The server to push to, and who pushes.
struct ServerOptions: ParsableArguments {
    @Option(help: "The server's name; its certificate must bear it.")
    var host = "localhost"

    @Option(help: "The server's port.")
    var port: Int

    @Option(help: "The authorities to trust, a PEM file.")
    var trustRoots: String

    @Option(help: "The key that signs provider tokens, a PEM file.")
    var key: String

    @Option(help: "The key's id.")
    var keyID = "BENCHMARK1"

    @Option(help: "The team's id.")
    var teamID = "BENCHMARK1"

    @Option(help: "The apns-topic.")
    var topic = "com.example.benchmark"

    /// The same for another process.
    var flags: [String] {
        [
            "--host", host, "--port", "\(port)", "--trust-roots", trustRoots, "--key", key, "--key-id", keyID,
            "--team-id", teamID, "--topic", topic,
        ]
    }

    var credential: Credential { .token(key: .file(key), keyID: keyID, teamID: teamID) }

    /// A connection to it; `port` for one that is reached through a relay.
    func config(_ apnsID: APNSIDPolicy = .byServer, port: Int? = nil) -> PushConnection.Configuration {
        PushConnection.Configuration(
            host: host, port: port ?? self.port, credential: credential, trust: .file(trustRoots),
            defaults: .init(topic: Topic(topic), apnsID: apnsID))
    }
}
