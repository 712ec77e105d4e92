import ArgumentParser

/// The two services Apple runs, by the name the flag gives them.
package enum EnvironmentName: String, ExpressibleByArgument, CaseIterable, Sendable {
    case production
    case development
}
