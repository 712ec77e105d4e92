import ArgumentParser

/// The arguments of `pushctl demo`.
package struct DemoOptions: ParsableArguments {
    package static let most = 10_000_000

    @Option(help: "How many notifications to push.")
    package var pushes = 10_000

    @Flag(help: "JSON lines on standard output.")
    package var json = false

    package init() {}

    package mutating func validate() throws {
        guard (1...Self.most).contains(pushes) else {
            throw ValidationError("--pushes \(pushes) is out of range; give 1 to \(Self.most).")
        }
    }
}
