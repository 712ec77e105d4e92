import ArgumentParser

/// Apple's two services, under the flag's names.
package enum EnvironmentName: String, ExpressibleByArgument, CaseIterable, Sendable {
    case production
    case development
}
