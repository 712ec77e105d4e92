import ArgumentParser
import PushCampaign
import PushTerminal
import SupervisedPush

/// Additional header fields, and the dry run; the same for a push to a device and for a broadcast.
struct HeaderOptions: ParsableArguments {
    @OptionGroup var own: OwnHeaders

    @Flag(help: "Check the request and print it, with the provider token left out; send nothing and use no network.")
    var dryRun = false

    init() {}

    var headers: RequestHeaders { own.headers }
}

/// Checks of the flags for header fields; the same for a push to a device and for a broadcast.
enum HeaderChecks {
    static func priority(_ priority: Int?, waived: [WaivedRule]) throws {
        guard let priority, !RecordPriority.known.contains(priority),
            !waived.contains(where: { $0.rule.contains(.priority) })
        else { return }
        throw ValidationError("--priority \(priority) is unknown to APNs; give 10, 5 or 1.")
    }

    static func expiration(_ expiration: Int64?) throws {
        guard let expiration else { return }
        guard expiration >= 0 else {
            throw ValidationError("--expiration \(expiration) is below 0; give UNIX seconds, or 0.")
        }
        if let meant = MeantSeconds(of: expiration) {
            throw ValidationError(
                "--expiration \(expiration) is in \(meant.unit); give UNIX seconds: \(meant.seconds).")
        }
        guard let problem = PastExpiration.problem(expiration, now: UTC.now) else { return }
        throw ValidationError(
            "--expiration \(expiration): the push \(problem); give UNIX seconds to come, or 0 for a single attempt.")
    }

    static func id(_ flag: String, _ id: String?) throws {
        guard let id, !Hexadecimal.isUUID(id) else { return }
        throw ValidationError("\(flag) is not a UUID; give 8-4-4-4-12 hexadecimal digits or leave it out.")
    }
}
