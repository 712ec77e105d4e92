import ArgumentParser

// pushctl and pushctl-demo are compiled after this module, so this is what a build of them says first.
#if !CommandLine
    #error("pushctl needs the trait CommandLine: build it without --disable-default-traits and without traits: []")
#endif

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
