import ArgumentParser
import SupervisedPush

/// The target of a push that does not go to APNs: an app in Xcode's Simulator on this Mac.
struct SimulatorOptions: ParsableArguments {
    @Option(
        name: .customLong("simulator"),
        help: ArgumentHelp(
            """
            Push to an app in this booted device of Xcode's Simulator, by its UDID, its name or booted, with xcrun \
            simctl push; no TOKEN, credential or network.
            """, valueName: "device"))
    var device: String?

    @Option(help: ArgumentHelp("With --simulator: the bundle id of the app.", valueName: "id"))
    var bundle: String?

    init() {}

    mutating func validate() throws {
        switch (device, bundle) {
        case (nil, nil): return
        case (nil, _?): throw ValidationError("--bundle goes with --simulator; elsewhere the app is the --topic.")
        case (_?, nil): throw ValidationError("--simulator needs --bundle with the app's bundle id.")
        case (let device?, let bundle?):
            guard !device.isEmpty, !device.hasPrefix("-") else {
                throw ValidationError("--simulator is not a device; give its UDID, its name, or booted.")
            }
            if RequestRoute.problem(with: bundle) != nil {
                throw ValidationError("--bundle is not a bundle id; give letters, digits, hyphens and periods.")
            }
        }
    }
}
