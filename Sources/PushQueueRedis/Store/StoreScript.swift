/// A script in Lua, which the server runs as one atomic step. Its file in `Lua/` says what it does, and with which arguments.
///
/// A file begins with `#!lua` and its flags. `allow-oom` lets it write although the server has no memory left: what drains a queue
/// must not stop then. A line `-- uses: clock, ids` names the parts whose functions it calls, in the order of their
/// dependence: `part_clock.lua`, `part_ids.lua`. They are put before it, because a script on a server cannot call another. So
/// are the names of the keys of the queue, which every script gets in the order of ``QueueKeys``.
struct StoreScript: Sendable {
    let script: RedisScript
    /// The parts that it names.
    let parts: [String]

    /// - Parameter file: The text of its file, in UTF-8.
    init(_ file: [UInt8]) {
        let lines = String(decoding: file, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let uses = lines.first { $0.hasPrefix(Self.uses) }
        parts = uses?.dropFirst(Self.uses.count).split(separator: ",").map { $0.filter { $0 != " " } } ?? []
        let prelude = (["keys"] + parts).compactMap { Self.allParts[$0].map(Self.code) }
        script = RedisScript(
            ([lines.first.map(String.init) ?? ""] + prelude + [Self.code(file)]).joined(separator: "\n"))
    }

    private static let uses = "-- uses: "

    /// The lines of a file but its head: the server need not keep what only a reader needs.
    private static func code(_ file: [UInt8]) -> String {
        String(decoding: file, as: UTF8.self).split(separator: "\n")
            .filter { !$0.hasPrefix("--") && !$0.hasPrefix("#!") }
            .joined(separator: "\n")
    }
}
