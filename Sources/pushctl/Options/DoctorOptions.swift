import ArgumentParser

/// The arguments of `pushctl doctor`.
package struct DoctorOptions: ParsableArguments {
    @Flag(help: "JSON lines on standard output, one per layer and one for the result.")
    package var json = false

    @OptionGroup(title: "Connection options")
    package var connection: ConnectionOptions

    package init() {}

    package mutating func validate() throws {
        try connection.checkTopicForOnePush()
    }
}
