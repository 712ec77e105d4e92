/// A script in Lua, which the server runs as one atomic step.
///
/// Each script gets all keys of the queue, in the order of ``QueueKeys``, and the functions of ``ScriptPrelude`` that
/// it names. `allow-oom` lets it write although the server has no memory left: what drains a queue must not stop then.
struct StoreScript: Sendable {
    let script: RedisScript

    /// - Parameters:
    ///   - flags: Flags of the shebang, such as `allow-oom` or `no-writes`; empty for none.
    ///   - parts: Functions of the prelude, in the order of their dependence.
    init(flags: String = "", using parts: [String] = [], _ body: String) {
        let shebang = flags.isEmpty ? "#!lua" : "#!lua flags=\(flags)"
        script = RedisScript(([shebang, ScriptPrelude.keys] + parts + [body]).joined(separator: "\n"))
    }
}
