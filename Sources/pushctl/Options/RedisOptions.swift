import ArgumentParser

/// The flags of a queue on Redis.
struct RedisOptions: ParsableArguments {
    @Option(
        help: "Redis: the file that contains the password; else PUSHCTL_QUEUE_PASSWORD.", completion: .file())
    var queuePasswordFile: String?

    @Option(
        help: "Redis with TLS: root certificates to trust in place of the system's, a PEM file.", completion: .file())
    var queueTrustRoots: String?

    @Option(
        help: "Redis with TLS: the certificate to show, with its chain, a PEM file.", completion: .file())
    var queueCertificate: String?

    @Option(
        help: "Redis with TLS: the key of the certificate, a PEM file; else it is in the certificate's.",
        completion: .file())
    var queueKey: String?

    @Option(
        help: ArgumentHelp("redis+sentinel: the user on the Sentinels, if they have one.", valueName: "user"))
    var queueSentinelUser: String?

    @Option(
        help: "redis+sentinel: the file with the Sentinels' password; else PUSHCTL_QUEUE_SENTINEL_PASSWORD.",
        completion: .file())
    var queueSentinelPasswordFile: String?

    init() {}

    var flags: QueueLocation.RedisFlags {
        .init(
            passwordFile: queuePasswordFile, trustRoots: queueTrustRoots, certificate: queueCertificate, key: queueKey,
            sentinelUser: queueSentinelUser, sentinelPasswordFile: queueSentinelPasswordFile)
    }
}
