import PushQueue

/// The keys of a queue. The hash tag puts them into one slot of a cluster, so that a script may use all of them.
struct QueueKeys: Sendable {
    /// The order in which scripts get them.
    let all: [[UInt8]]
    /// The stream of the entries.
    let stream: String
    /// A stream of at most one entry, which ends the wait of workers when something else than a new entry can be taken.
    let wake: String

    /// - Throws: `refused` if the name has braces, which would end the hash tag, or is empty.
    init(_ name: String) throws(QueueError) {
        guard !name.isEmpty, !name.contains(where: { $0 == "{" || $0 == "}" }) else {
            throw QueueError(.refused, "The name of a queue on Redis must not be empty and must not contain { or }.")
        }
        let stream = "push:{\(name)}"
        let parts = [
            "later", "delayed", "progress", "workers", "o", "f", "dead", "counts", "wake", "orphans", "calls", "beats",
            "campaigns",
        ]
        all = ([stream] + parts.map { "\(stream):\($0)" }).map { Array($0.utf8) }
        self.stream = stream
        wake = "\(stream):wake"
    }
}
