import ArgumentParser

/// The flags of `pushctl send` for pushes that are neither alerts nor Live Activities.
struct KindOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Your own members next to aps (accessory: those of aps): a JSON object, or @FILE.", valueName: "json"))
    var content: String?

    @Option(parsing: .unconditional, help: "fileprovider: the container that changed; the working set when left out.")
    var container: String?

    @Option(parsing: .unconditional, help: "fileprovider: the domain of the container.")
    var domain: String?

    @Option(help: "mdm: the push magic of the device. Makes the push type mdm.")
    var pushMagic: String?

    @Flag(help: "Wallet: the empty payload that makes a pass update itself.")
    var wallet = false

    init() {}

    var isGiven: Bool { [content, container, domain, pushMagic].contains { $0 != nil } || wallet }
}
