import ArgumentParser
import PushTerminal

/// What a command prints that only looks, and changes nothing.
enum Listing {
    /// Prints a part.
    ///
    /// - Throws: Exit code 0 if the reader has closed the pipe, as `head` does: there is nothing more to do. What is looked at
    ///   stays where it is.
    static func print(_ bytes: [UInt8]) throws {
        guard try OutputFile.standardOutput.list(bytes) else { throw ExitCode.success }
    }
}
