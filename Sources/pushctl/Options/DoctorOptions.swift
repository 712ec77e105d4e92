import ArgumentParser

/// The arguments of `pushctl doctor`.
struct DoctorOptions: ParsableArguments {
    @Flag(help: "JSON lines on standard output, one per layer and one for the result.")
    var json = false

    @OptionGroup(title: "Connection options")
    var connection: ConnectionOptions

    init() {}

    mutating func validate() throws {
        // Without any credential, only the network is tested.
        if connection.namesCredential { try connection.checkTopicForOnePush() }
    }
}
