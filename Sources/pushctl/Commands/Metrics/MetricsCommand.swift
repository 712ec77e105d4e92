import ArgumentParser
import PushMetricsExport

/// `pushctl metrics`: what Apple counted of an app's pushes.
struct MetricsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics",
        abstract: "Get what Apple counted: how many pushes were delivered, and how many devices follow channels.",
        discussion: """
            Examples:
              pushctl metrics delivery --management-token-file token.txt --profile orders
              pushctl metrics channel "$channel" --from 2026-11-14 --to 2026-11-20 --json --profile scores

            Apple makes a report on request, which takes a while. Its figures are rounded, and end yesterday. The token is a \
            data export token for one app and one data set, from the settings of Apple's CloudKit Console. See docs/metrics.md.
            """,
        subcommands: [Delivery.self, Broadcast.self, Channel.self])

    struct Delivery: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print how many pushes were delivered, stored and discarded, by push type and day.")

        @OptionGroup var options: MetricsOptions

        func run() async throws { try await MetricsRun(options, order: options.order(.delivery)).run() }
    }

    struct Broadcast: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print how many broadcasts were published and delivered over all channels, by day.")

        @OptionGroup var options: MetricsOptions

        func run() async throws { try await MetricsRun(options, order: options.order(.broadcast)).run() }
    }

    struct Channel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print how many broadcasts of a channel were published and delivered, by day.")

        @Argument(help: "The channel's id.") var channel: String
        @OptionGroup var options: MetricsOptions

        mutating func validate() throws { try ChannelOptions.validate(channel: channel) }

        func run() async throws {
            try await MetricsRun(options, order: options.order(.channel, channel: channel)).run()
        }
    }
}
