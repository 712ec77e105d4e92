import ArgumentParser
import PushQueue
import PushTerminal

extension QueueCommand {
    /// Lets the workers push nothing.
    struct Pause: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Pause a queue: its workers push nothing until queue resume.",
            discussion: """
                Workers obey within a second. What is in flight gets its answer, what was not sent goes back to the queue, \
                and entries can be put in. With --campaign only this campaign is paused.
                """)

        @OptionGroup var queue: QueueOptions
        @OptionGroup var choice: CampaignChoice
        @Flag(help: "A JSON line on standard output.") var json = false

        func run() async throws {
            if let name = choice.campaign { return try await CampaignSteering(queue, json).print(.pause, [name]) }
            try await Steering.print(.pause, queue, asJSON: json)
        }
    }

    /// Lets the workers go on.
    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Let a paused queue, or a campaign in it, go on.")

        @OptionGroup var queue: QueueOptions
        @OptionGroup var choice: CampaignChoice
        @Flag(help: "A JSON line on standard output.") var json = false

        func run() async throws {
            if let name = choice.campaign { return try await CampaignSteering(queue, json).print(.resume, [name]) }
            try await Steering.print(.resume, queue, asJSON: json)
        }
    }

    /// Sets how fast the workers push together.
    struct Rate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set how fast all workers of a queue, or of a campaign in it, push together, while they run.",
            discussion: """
                The queue keeps the rate, which takes the place of --rate of its workers; off removes it. With --campaign \
                only this campaign has the rate, and what else is in the queue passes it.

                Examples:
                  pushctl queue rate 500/s --queue pushes.db
                  pushctl queue rate 100/s --campaign spring --queue pushes.db
                """)

        @Argument(help: ArgumentHelp("Pushes a second: 500, 500/s or 0.5; or off.", valueName: "rate"))
        var rate: RateOrder
        @OptionGroup var queue: QueueOptions
        @OptionGroup var choice: CampaignChoice
        @Option(help: ArgumentHelp("How many may go out at once after a pause. One second's.", valueName: "n"))
        var burst: Int?
        @Flag(help: "A JSON line on standard output.") var json = false

        private var setting: RateSetting { RateSetting(perSecond: rate.perSecond, burst: burst) }

        func validate() throws { try setting.check("a rate", "--burst") }

        func run() async throws {
            if let name = choice.campaign {
                return try await CampaignSteering(queue, json).print(.rate(setting.rate), [name])
            }
            try await Steering.print(.rate(setting.rate), queue, asJSON: json)
        }
    }
}

/// `500/s`, or `off`.
struct RateOrder: ExpressibleByArgument, Equatable, Sendable {
    /// Nil for `off`.
    let perSecond: PushesPerSecond?

    /// Nil if it is neither.
    init?(argument: String) {
        let rate = PushesPerSecond(argument: argument)
        guard rate != nil || argument == "off" else { return nil }
        perSecond = rate
    }
}

/// How a queue is steered, for a person or for a script.
struct Steering: Equatable, Sendable {
    let value: QueueSteering

    /// Gives the order, and prints how the queue is steered then.
    static func print(_ order: SteeringOrder, _ options: QueueOptions, asJSON: Bool) async throws {
        let steering = try await OpenQueue.with(options) { Steering(value: try await $0.store.steer(order)) }
        var object = JSONLine()
        steering.add(to: &object)
        try OutputFile.standardOutput.write(asJSON ? object.line : Array((steering.text + "\n").utf8))
    }

    /// `paused, at most 500 pushes a second`
    var text: String {
        (value.isPaused ? "paused" : "running") + (value.rate.map { ", \(Self.text(of: $0))" } ?? "")
    }

    func add(to object: inout JSONLine) {
        object.add("paused", value.isPaused)
        object.add("rate", seconds: value.rate?.perSecond ?? .infinity)
        object.add("burst", value.rate?.burst)
    }

    /// `at most 500 pushes a second, 500 at once`
    static func text(of rate: QueueRate) -> String {
        "at most \(figure(rate.perSecond)) pushes a second, \(rate.burst) at once"
    }

    /// A whole number without a point.
    private static func figure(_ rate: Double) -> String { Int(exactly: rate).map(String.init) ?? "\(rate)" }
}
