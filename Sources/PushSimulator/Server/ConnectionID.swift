/// The number of a connection of one simulator: 1, 2, 3 … in the order of acceptance.
public struct ConnectionID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The number, from 1.
    public let number: Int

    init(_ number: Int) { self.number = number }

    /// Compares the numbers: earlier connections come first.
    public static func < (left: ConnectionID, right: ConnectionID) -> Bool { left.number < right.number }

    /// The number.
    public var description: String { "\(number)" }
}

/// A selection of connections.
@nonexhaustive public enum ConnectionSelection: Sendable, Hashable {
    /// All connections. A lasting state also applies to future ones.
    case all
    /// One connection.
    case only(ConnectionID)
    /// The connection with this number, from 1, whether it exists yet or not.
    case nth(Int)
    /// The first connections, up to this number.
    case first(Int)
    /// All connections after this number.
    case after(Int)
    /// The connections whose number is a multiple of this one.
    case every(Int)

    func includes(_ connection: ConnectionID) -> Bool {
        switch self {
        case .all: true
        case .only(let chosen): chosen == connection
        case .nth(let number): connection.number == number
        case .first(let count): connection.number <= count
        case .after(let count): connection.number > count
        case .every(let divisor): divisor > 0 && connection.number % divisor == 0
        }
    }
}

/// The port to which a connection was made.
enum Service: Sendable {
    /// Device pushes and broadcasts.
    case push
    /// Broadcast channels.
    case management
}
