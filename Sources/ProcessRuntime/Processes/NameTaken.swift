/// The name belongs to another process.
public struct NameTaken: Error, Hashable, CustomStringConvertible {
    /// The name that was asked for.
    public let name: String
    /// The process that holds it.
    public let holder: ProcessID

    /// An error about `name`, which `holder` has.
    public init(name: String, holder: ProcessID) {
        self.name = name
        self.holder = holder
    }

    /// What is wrong, in words.
    public var description: String { "the name \"\(name)\" is taken by process \(holder)" }
}
