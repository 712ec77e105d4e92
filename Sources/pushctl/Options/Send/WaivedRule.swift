import ArgumentParser
import SupervisedPush

/// A rule that `pushctl send` does not check.
package struct WaivedRule: ExpressibleByArgument {
    package let rule: PushRules

    package init?(argument: String) {
        if argument == "all" {
            rule = .all
        } else if let known = PushRules.names.first(where: { $0.name == argument }) {
            rule = known.rule
        } else {
            return nil
        }
    }

    package static var allValueStrings: [String] { PushRules.names.map(\.name) + ["all"] }
}
