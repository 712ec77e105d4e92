import Foundation

/// The `pushctl` that tests run.
package enum BuiltPushctl {
    /// The program that `PUSHCTL` names, or the one beside the test bundle.
    ///
    /// In a debug build, ArgumentParser validates an option group four times for each level of its nesting, so that a command needs seconds
    /// to begin. Many tests that run programs end sooner with a release build.
    package static let path =
        ProcessInfo.processInfo.environment["PUSHCTL"]
        ?? URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appendingPathComponent("pushctl").path
}
