import ArgumentParser
import PushInspection
import PushReview
import PushTerminal
import SupervisedPush

/// Finds a command or an option that does not exist.
///
/// For a command, the parser would print the help of the one before it, and call that a success. Options it looks at
/// last: it would first say that there is no payload, where `--body` is misspelt.
enum UnknownName {
    // MARK: Commands

    /// The error of the first command that does not exist; nil if all do.
    static func command(in arguments: [String], of root: any ParsableCommand.Type) -> CommandError? {
        let words = arguments.drop { $0 == "help" }
        let (command, count) = named(by: words, below: root)
        guard let word = words.dropFirst(count).first, !word.hasPrefix("-") else { return nil }
        let subcommands = command.configuration.subcommands
        // Without subcommands, it is an argument.
        guard !subcommands.isEmpty else { return nil }
        let path = (words.prefix(count) + [word.shortened(to: 40)]).joined(separator: " ")
        let question = NearName.question(word, in: subcommands.map { name(of: $0) }).withPeriod
        return .usage("There is no command '\(path)'\(question) See --help.")
    }

    /// The command that the words begin with, and how many of them name it.
    private static func named(
        by words: some Sequence<String>, below root: any ParsableCommand.Type
    ) -> (command: any ParsableCommand.Type, words: Int) {
        var (command, count) = (root, 0)
        for word in words {
            guard let next = command.configuration.subcommands.first(where: { name(of: $0) == word }) else { break }
            (command, count) = (next, count + 1)
        }
        return (command, count)
    }

    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? "\(command)".lowercased()
    }

    // MARK: Options

    /// The error of the first option that the command does not have; nil if there is none.
    static func option(in arguments: [String], of root: any ParsableCommand.Type) -> CommandError? {
        let options = options(of: named(by: arguments, below: root).command)
        var isValue = false
        for argument in arguments.prefix(while: { $0 != "--" }) {
            if isValue {
                isValue = false
                continue
            }
            guard argument.hasPrefix("--") else { continue }
            let name = String(argument.prefix { $0 != "=" })
            guard let takesValue = options[name] else {
                let near = NearName.of(name, in: options.keys.sorted()).map { "; did you mean \($0)?" } ?? "."
                return .usage("Unknown option '\(name.shortened(to: 40))'\(near) See --help.")
            }
            isValue = takesValue && name == argument
        }
        return nil
    }

    /// The command's options, and whether they take a value.
    private static func options(of command: any ParsableCommand.Type) -> [String: Bool] {
        var options = [
            "--help": false, "--help-hidden": false, "--version": false, "--generate-completion-script": true,
        ]
        guard case .object(let tool)? = JSONValue(parsing: Array(command._dumpHelp().utf8)),
            case .array(let arguments)? = tool["command"]?["arguments"]
        else { return options }
        for argument in arguments {
            guard case .array(let names)? = argument["names"] else { continue }
            for name in names where name["kind"]?.stringValue == "long" {
                options["--" + (name["name"]?.stringValue ?? "")] = argument["kind"]?.stringValue == "option"
            }
        }
        return options
    }
}

extension String {
    /// The end of a sentence: as it is, or a period.
    fileprivate var withPeriod: String { isEmpty ? "." : self }
}
