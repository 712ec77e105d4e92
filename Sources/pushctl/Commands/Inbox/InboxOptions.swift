import ArgumentParser
import PushInspection
import PushSimulator

/// The arguments of an inbox beside a simulator.
struct InboxOptions: ParsableArguments {
    @Option(
        name: .customLong("inbox"),
        help: ArgumentHelp(
            "Show what it gets on a page and by an HTTP API, at this address and port; port 0 takes a free one.",
            valueName: "address:port"))
    var address: String?

    @Option(
        name: .customLong("inbox-token-file"),
        help: ArgumentHelp(
            """
            The file whose first line a client of the inbox must show; needed for an address that others reach.
            """, valueName: "file"), completion: .file())
    var tokenFile: String?

    @Option(
        name: .customLong("inbox-host"),
        help: ArgumentHelp(
            "A name by which the inbox may be reached, besides its address and localhost; may be repeated.",
            valueName: "name"))
    var names: [String] = []

    init() {}

    /// Where it listens; nil if that is not said. `validate` has checked it.
    var place: InboxAddress? { address.flatMap { InboxAddress($0) } }

    mutating func validate() throws {
        if let address {
            guard let place else {
                throw ValidationError(
                    "--inbox '\(address)' is not an address and a port; give one such as 127.0.0.1:8035 or [::1]:0.")
            }
            guard place.isLoopback || tokenFile != nil else {
                throw ValidationError(
                    "--inbox \(address) is reached by others; give --inbox-token-file, or an address of loopback.")
            }
        }
        if tokenFile?.isEmpty == true { throw ValidationError("--inbox-token-file is empty; name a file.") }
        for name in names where ServerName(name) == nil {
            throw ValidationError(
                "--inbox-host '\(name)' is neither a host name nor an IP address; give one, without a port.")
        }
    }
}
