import ArgumentParser

package enum ProgressMode: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// A line that renews itself, where standard error is a terminal; else nothing.
    case auto
    /// A line every few seconds, terminal or not.
    case plain
    case none
}
