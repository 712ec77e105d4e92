import ArgumentParser
import SupervisedPush

/// What is pushed.
struct WorkOptions: ParsableArguments {
    /// Whether every push has the same payload.
    enum PayloadKind: String, CaseIterable, ExpressibleByArgument {
        /// One payload, encoded once.
        case shared
        /// A typed alert for each push, encoded when it is pushed.
        case personalised
    }

    /// Who makes the apns-ids.
    enum Identity: String, CaseIterable, ExpressibleByArgument {
        case generated, byServer = "by-server"

        var policy: APNSIDPolicy {
            switch self {
            case .generated: .generated
            case .byServer: .byServer
            }
        }
    }

    @Option(help: "One payload for all pushes, or a typed alert for each.")
    var payload = PayloadKind.shared

    @Option(help: "Who makes the apns-id: the client, or APNs, which spares a header.")
    var apnsID = Identity.byServer

    @Option(help: "How many different device tokens are pushed to, in turn.")
    var devices = 1_000
}
