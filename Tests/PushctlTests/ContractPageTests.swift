import ArgumentParser
import Foundation
import Testing

@testable import pushctl

/// The contract of the command line, docs/pushctl.md: its tables have exactly the flags and defaults of each command.
@Suite("parity: R8 – docs/pushctl.md") struct ContractPageTests {
    /// What a table says of a flag.
    private typealias Flags = [String: String]

    // MARK: What the program knows

    private struct Tool: Decodable { var command: Command }

    private struct Command: Decodable {
        struct Argument: Decodable {
            struct Name: Decodable {
                var kind: String
                var name: String
            }

            var names: [Name]?
            var defaultValue: String?
            var shouldDisplay: Bool
        }

        var commandName: String
        var arguments: [Argument]?
        var subcommands: [Command]?
    }

    /// The commands that do something, by their whole names.
    private static func commands() throws -> [String: Command] {
        let tool = try JSONDecoder().decode(Tool.self, from: Data(Pushctl._dumpHelp().utf8))
        var found: [String: Command] = [:]
        func add(_ command: Command, _ path: String) {
            let name = path + command.commandName
            let subcommands = (command.subcommands ?? []).filter { $0.commandName != "help" }
            if subcommands.isEmpty { found[name] = command }
            for subcommand in subcommands { add(subcommand, name + " ") }
        }
        add(tool.command, "")
        return found
    }

    /// The flags of a command, with their defaults.
    private static func flags(of command: Command) -> Flags {
        var flags: Flags = [:]
        for argument in command.arguments ?? [] where argument.shouldDisplay {
            for name in argument.names ?? [] {
                let flag = (name.kind == "long" ? "--" : "-") + name.name
                if !["--help", "-h", "--version"].contains(flag) { flags[flag] = argument.defaultValue ?? "" }
            }
        }
        return flags
    }

    // MARK: What the page says

    private struct Section {
        var flags: Flags = [:]
        /// The titles of the sections whose flags it has, too.
        var others: [String] = []
    }

    private static func sections() throws -> [String: Section] {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("docs/pushctl.md")
        var sections: [String: Section] = [:]
        var title = ""
        for line in try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n") {
            if line.hasPrefix("#") {
                title = String(line.drop { $0 == "#" || $0 == " " })
                sections[title] = Section()
            } else if line.hasPrefix("Also: ") {
                sections[title]?.others = line.dropFirst(6).dropLast().components(separatedBy: ", ")
            } else if line.hasPrefix("| `-") {
                let cells = line.components(separatedBy: " | ")
                for flag in flags(in: cells[0]) { sections[title]?.flags[flag] = cells[1] }
            }
        }
        return sections
    }

    /// The flags that a cell names: each code span that begins with one, to its first space.
    private static func flags(in cell: String) -> [String] {
        cell.components(separatedBy: "`").filter { $0.hasPrefix("-") }
            .map { String($0.prefix { $0 != " " }) }
    }

    // MARK: Both

    @Test func everyCommandHasItsSection() throws {
        let titles = try Set(Self.sections().keys.filter { $0.hasPrefix("pushctl ") && !$0.contains(":") })
        #expect(try titles == Set(Self.commands().keys))
    }

    @Test func aCommandHasTheFlagsOfItsSectionAndNoOthers() throws {
        let sections = try Self.sections()
        for (name, command) in try Self.commands() {
            let section = try #require(sections[name], "\(name)")
            var documented = section.flags
            for other in section.others {
                documented.merge(try #require(sections[other], "\(other)").flags) { own, _ in own }
            }
            let known = Self.flags(of: command)
            #expect(documented.keys.sorted() == known.keys.sorted(), "\(name)")
            for (flag, value) in known where !value.isEmpty {
                #expect(documented[flag]?.hasPrefix(value) == true, "\(name) \(flag): \(value)")
            }
        }
    }
}
