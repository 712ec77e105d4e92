import PushTerminal
import SupervisedPush

/// Which names of a configuration a command takes.
struct ConfigurationUse {
    private static let ofConnections: Set<String> = ["send", "bulk", "bench", "channels", "broadcast"]

    /// What the commands of a queue take.
    static let ofQueue = ConfigurationUse(Set(ConfigurationKey.queuePlace + [.name]))

    private let names: Set<ConfigurationKey>
    /// Whether only a configuration counts that the command line names, and not that of the variable.
    let isExplicit: Bool

    private init(_ names: Set<ConfigurationKey>, isExplicit: Bool = false) {
        (self.names, self.isExplicit) = (names, isExplicit)
    }

    /// Nil for a command that takes none.
    init?(of command: String, _ flags: ArraySlice<String>) {
        func value(_ flag: String) -> String? { ConfigurationArguments.value(of: flag, in: flags) }
        switch command {
        case "token": self.init([.key, .keyID, .teamID])
        case "metrics": self.init([.teamID, .topic, .trustRoots, .proxy])
        case "queue": self = .ofQueue
        // A file of queues has the name and the connection of each.
        case "worker" where value("--queues") != nil:
            self.init(Set(ConfigurationKey.queuePlace), isExplicit: true)
        case "worker": self.init(Set(ConfigurationKey.allCases))
        case "doctor" where value("--queue") != nil: self.init(Self.ofQueue.names, isExplicit: true)
        case "doctor" where value("--examine") == DoctorOptions.Subject.queue.rawValue: self = .ofQueue
        case _ where command == "doctor" || Self.ofConnections.contains(command):
            self.init(Set(ConfigurationKey.connection))
        default: return nil
        }
    }

    /// The names that it leaves.
    var others: Set<ConfigurationKey> { Set(ConfigurationKey.allCases).subtracting(names) }

    /// Whether it takes where a queue is.
    var takesQueue: Bool { names.contains(.queue) }

    /// - Throws: Exit code 78 if the configuration has a queue that the command takes, and it is not a place.
    func check(_ file: ConfigurationFile) throws(CommandError) {
        guard takesQueue, let place = file.given(.queue) else { return }
        if let problem = QueueLocation.problem(inFile: place) {
            throw .configuration(file.refusal(of: .queue, " \(problem)").description)
        }
    }
}
