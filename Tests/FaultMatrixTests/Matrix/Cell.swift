/// One cell of the matrix: a fault, the credential of the connection it strikes, and what the connection is doing then.
struct Cell: Sendable, CustomStringConvertible {
    let fault: FaultCase
    let credential: CellCredential
    let load: Load

    /// Its key in the table: no two cells have the same.
    var description: String {
        "\(fault.name)\(fault.devices == nil ? "" : ", ordered per device") · \(credential) · \(load)"
    }
}

/// How the connection says who it is.
enum CellCredential: String, Sendable, CaseIterable, CustomStringConvertible {
    case token, certificate

    var description: String { rawValue }
}

/// What the connection is doing when the fault strikes.
enum Load: Sendable, CaseIterable, CustomStringConvertible {
    case one, thousand, behindTheLimit

    /// Pushes that are in flight.
    var inFlight: Int {
        switch self {
        case .one: 1
        case .thousand: 1_000
        case .behindTheLimit: 100
        }
    }

    /// Pushes that wait because the limit is reached.
    var waiting: Int { self == .behindTheLimit ? 200 : 0 }

    var total: Int { inFlight + waiting }

    /// Where half of the pushes in flight end: of one, the whole.
    var half: Int { max(1, inFlight / 2) }

    var description: String {
        switch self {
        case .one: "one push"
        case .thousand: "1,000 in flight"
        case .behindTheLimit: "100 in flight, 200 waiting behind the limit"
        }
    }
}
