import PushQueue

/// What ends calls and connections.
extension RedisConnectionMachine {
    var noAnswer: RedisFailure {
        RedisFailure(.unreachable, "\(server) did not answer a call in time. Check its load and the network.")
    }

    var noWrites: RedisFailure {
        RedisFailure(
            .unreachable,
            "\(server) takes no writes: it is a replica, has too few replicas, or its cluster lacks a node. It is connected "
                + "again, in case another server takes them; otherwise give the address of the primary, and check its "
                + "replicas.")
    }

    var tooManyRedirections: RedisFailure {
        RedisFailure(
            .unreachable,
            "The nodes of the cluster at \(configuration) name one another for a key. The last one is \(server). Check "
                + "CLUSTER NODES.")
    }

    var notPrimary: RedisFailure {
        RedisFailure(
            .unreachable,
            "\(server) is no primary, although a Sentinel names it: a failover may be under way. The Sentinels are asked "
                + "again.")
    }

    var notWritten: RedisFailure {
        // A server that refuses the first commands says why. Of one that is silent, the first attempt is under way still.
        let isOpen = if case .greeting = phase { true } else { false }
        let why = cause ?? (isOpen ? noGreeting : notOpened)
        return RedisFailure(.unreachable, "\(why) The call was not written.")
    }

    var notOpened: RedisFailure {
        RedisFailure(
            .unreachable,
            "\(server) did not accept a connection in time. Check the host, the port and the firewall, and whether the "
                + "port uses TLS (rediss) or not (redis).")
    }

    var noGreeting: RedisFailure {
        RedisFailure(
            .unreachable,
            "\(server) did not answer the first commands in time. Check its load, and whether the port uses TLS "
                + "(rediss) or not (redis).")
    }
}
