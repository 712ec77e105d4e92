/// A connection of one simulator: 1, 2, 3 … in the order in which they were accepted.
public struct ConnectionID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Its number, from 1.
    public let number: Int

    init(_ number: Int) { self.number = number }

    /// By number: earlier first.
    public static func < (left: ConnectionID, right: ConnectionID) -> Bool { left.number < right.number }

    /// The number.
    public var description: String { "\(number)" }
}

/// Which connections something is done to.
public enum ConnectionSelection: Sendable, Hashable {
    /// All of them; what lasts also holds for those that come later.
    case all
    /// One.
    case only(ConnectionID)
    /// The one of this number, from 1, whether it is already there or not.
    case nth(Int)
    /// The first so many.
    case first(Int)
    /// All but the first so many.
    case after(Int)
    /// Those whose number is a multiple of this one.
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
