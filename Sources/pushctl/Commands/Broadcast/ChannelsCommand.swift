import ArgumentParser
import SupervisedPush

/// `pushctl channels`: the broadcast channels of an app.
struct ChannelsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channels",
        abstract: "Create, read, delete and list broadcast channels.",
        discussion: """
            Examples:
              pushctl channels create --storage latest --profile scores
              pushctl channels list --json --profile scores

            They go to the environment's management host (2196, in development 2195), unless --host, and --management-port or \
            --port, say otherwise. The app is --topic, its bundle id without a suffix. An app has at most 10,000 channels in each \
            environment; they live until they are deleted.
            """,
        subcommands: [Create.self, Read.self, Delete.self, List.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Create a channel and print its id.")

        @Option(
            help: "What it stores for devices that are offline, until it is deleted: none, or the latest broadcast.")
        var storage = ChannelStorage.none

        @OptionGroup var options: ChannelOptions

        func run() async throws {
            let policy = storage.policy
            try await ChannelsRun(options).run { channels in
                let id = try await channels.create(storage: policy)
                return ChannelReport.created(id, policy)
            }
        }
    }

    struct Read: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print what a channel stores.")

        @Argument(help: "The channel's id.") var channel: String
        @OptionGroup var options: ChannelOptions

        mutating func validate() throws { try ChannelOptions.validate(channel: channel) }

        func run() async throws {
            let id = try ChannelOptions.channel(channel)
            try await ChannelsRun(options).run { ChannelReport.read(try await $0.read(id)) }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a channel; stored broadcasts are not recalled.")

        @Argument(help: "The channel's id.") var channel: String
        @OptionGroup var options: ChannelOptions

        mutating func validate() throws { try ChannelOptions.validate(channel: channel) }

        func run() async throws {
            let id = try ChannelOptions.channel(channel)
            try await ChannelsRun(options).run { channels in
                try await channels.delete(id)
                return ChannelReport.deleted(id)
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print the ids of all channels, one per line.")

        @OptionGroup var options: ChannelOptions

        func run() async throws {
            try await ChannelsRun(options).run { ChannelReport.listed(try await $0.list()) }
        }
    }
}
