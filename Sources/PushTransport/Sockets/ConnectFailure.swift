import Glibc

/// Describes a race that no address has won.
struct ConnectFailure {
    /// How many addresses the sentence lists.
    static let mostNamed = 4

    private let endpoint: Endpoint
    private let failures: [(address: SocketAddress, number: Int32)]

    init(_ endpoint: Endpoint, after race: AddressRace) {
        self.endpoint = endpoint
        failures = race.failures.sorted { $0.index < $1.index }.map { (race.addresses[$0.index], $0.number) }
    }

    var error: TransportError {
        // Use the failure of the preferred address: other families may have no route at all.
        let number = failures.first?.number ?? EHOSTUNREACH
        return TransportError(
            layer: .connect, code: .system(number),
            sentence: "No connection to \(endpoint): \(causes). \(Self.advice(number))")
    }

    private var causes: String {
        if failures.count == 1, failures[0].address.description == endpoint.host {
            return errnoText(failures[0].number)
        }
        let named = failures.prefix(Self.mostNamed).map { "\($0.address): \(errnoText($0.number))" }
        let more = failures.count - named.count
        return named.joined(separator: ", ") + (more > 0 ? ", and \(more) more" : "")
    }

    private static func advice(_ number: Int32) -> String {
        switch number {
        case ECONNREFUSED: "Check the host and the port, and that the server runs."
        case EMFILE, ENFILE: "Raise the limit of open files (ulimit -n)."
        case EACCES, EPERM: "Check this machine's firewall."
        case ENETUNREACH, EHOSTUNREACH, ETIMEDOUT: "Check this machine's network and its firewall."
        default: "Check the network."
        }
    }
}
