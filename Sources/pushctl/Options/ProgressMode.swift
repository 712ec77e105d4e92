import ArgumentParser

package enum ProgressMode: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// A line that updates itself, if standard error is a terminal; otherwise nothing.
    case auto
    /// A line every few seconds, terminal or not.
    case plain
    case none
}
