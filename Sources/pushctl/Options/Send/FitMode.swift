import ArgumentParser

/// What `pushctl send` and `pushctl broadcast` do with a payload over its limit.
package enum FitMode: String, ExpressibleByArgument, CaseIterable {
    case reject
    case truncateBody = "truncate-body"
}
