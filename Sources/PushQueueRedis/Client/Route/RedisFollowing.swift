/// Which commands of a call other nodes of a cluster must get. None of them was executed, so each can be repeated.
struct RedisFollowing {
    /// Those that go where the connection goes from now on, by their places in the call.
    private(set) var moved: [Int] = []
    /// Those that another node gets this once.
    private(set) var asked: [Int] = []
    /// That node.
    private(set) var askedNode: RedisNode?

    /// - Parameters:
    ///   - commands: Those of the call.
    ///   - replies: A reply for each of them.
    ///   - node: Where an address without a host is.
    init(_ commands: [RedisCommand], _ replies: [RedisReply], from node: RedisNode) {
        var last: RedisRedirection.Kind?
        for (index, reply) in replies.enumerated() where index < commands.count {
            if case .error(let text) = reply, let redirection = RedisRedirection(text) {
                last = redirection.kind
                let target = redirection.node(from: node)
                // A further node is asked when this one has answered.
                if last == .ask, askedNode ?? target != target { continue }
                if last == .ask { askedNode = target }
            } else {
                // It counts the replicas of the node that executed what stands before it.
                guard last != nil, commands[index].isWait else { continue }
            }
            if last == .moved { moved.append(index) } else { asked.append(index) }
        }
    }

    var isEmpty: Bool { moved.isEmpty && asked.isEmpty }

    /// What the other node gets: each command behind its permission.
    func asking(_ commands: [RedisCommand]) -> [RedisCommand] {
        asked.flatMap { [RedisCommand("ASKING"), commands[$0]] }
    }

    /// Puts the other node's replies into their places.
    ///
    /// - Parameter answers: The replies to ``asking(_:)``.
    func put(_ answers: [RedisReply], into replies: inout [RedisReply]) {
        for (place, index) in asked.enumerated() where 2 * place + 1 < answers.count {
            replies[index] = answers[2 * place + 1]
        }
    }
}
