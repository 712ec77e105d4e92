import ArgumentParser
import PushTerminal
import SupervisedPush

/// The arguments that all commands of `pushctl channels` share.
struct ChannelOptions: ParsableArguments {
    @Flag(help: "JSON lines on standard output.")
    var json = false

    @OptionGroup(title: "Connection options")
    var connection: ConnectionOptions

    init() {}

    mutating func validate() throws {
        guard connection.connections == .one else {
            throw ValidationError("--connections has no meaning for channels; leave it out.")
        }
        try connection.checkTopicForOnePush()
    }

    /// - Throws: A `ValidationError`, unless the text is a channel's id.
    static func validate(channel text: String) throws {
        do { _ = try channel(text) } catch { throw ValidationError(error.message) }
    }

    static func channel(_ text: String) throws(CommandError) -> ChannelID {
        do { return try ChannelID(text) } catch { throw .usage("CHANNEL: \(error.description).") }
    }
}

/// What a channel stores, under the flag's names.
enum ChannelStorage: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// Nothing.
    case none
    /// The newest broadcast.
    case latest

    var policy: ChannelStoragePolicy { self == .none ? .noStorage : .mostRecentMessage }
}
