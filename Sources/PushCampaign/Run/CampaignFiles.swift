import Glibc
import PushTerminal
import SupervisedPush

/// What a run writes: the rows, and a journal if there is one. With what earlier runs have left.
package struct CampaignFiles: ~Copyable {
    var writer: OutcomesWriter
    /// The tokens to delete, if they are asked for.
    var unregistered: UnregisteredList?
    var journal: RunJournal?
    /// What the journal says of each record; nil without a journal.
    var plan: RecordPlan?
    /// The outcomes of earlier runs, without those whose records are pushed again.
    package var earlier = Tally()
    /// Those.
    package var again = Tally()

    init(_ writer: consuming OutcomesWriter) { self.writer = writer }

    /// Opens the journal and its outcomes file, and continues where they end.
    ///
    /// - Parameters:
    ///   - input: The input as it is now.
    ///   - unregistered: The list of `--unregistered`; nil for none.
    ///   - inputs: Files that are not written.
    fileprivate static func resuming(
        journal path: String, isDurable: Bool, input: InputBinding, outcomes: OutputRequest,
        unregistered: OutputRequest?, inputs: NamedFiles, pushesAgain: Bool
    ) throws(CommandError) -> CampaignFiles {
        let journal = try Journal(path, inputs: inputs, isDurable: isDurable)
        let known = try journal.campaign()
        try known?.check(journal: path, input: input, outcomes: AbsolutePath.of(outcomes.path))
        let file = try outcomes.resuming(behind: known?.outcomesSize ?? 0).open()
        var state = try journal.state()
        if let known { try file.truncate(to: journal.adoptRows(behind: known.outcomesSize, of: outcomes.path, &state)) }
        var files = CampaignFiles(try OutcomesWriter(file))
        if let unregistered {
            files.unregistered = try UnregisteredResumption.open(
                unregistered, isNew: known == nil, outcomes: outcomes.path)
        }
        if known == nil {
            // Only now it leads through a link whose file was not there.
            let outcomesPath = AbsolutePath.of(outcomes.path)
            if isDurable { try SyncedFolder.sync(of: outcomesPath) }
            try journal.begin(.init(input: input, outcomes: outcomesPath, outcomesSize: files.writer.size))
        }
        let unknown = state.tally.unknown
        if pushesAgain { state.reopenUnknown() }
        files.again = state.forgetRefused()
        files.again.count(.unknown, times: unknown - state.tally.unknown)
        files.earlier = state.tally
        files.journal = RunJournal(journal, open: state.open, isDurable: isDurable)
        files.plan = RecordPlan(settled: state.settled, open: state.open, pushesAgain: pushesAgain)
        return files
    }
}

extension CampaignFiles {
    /// Which files a run writes.
    package struct Request: Sendable {
        /// The file of the rows; nil: they go to standard output, in ``format``.
        package var outcomes: OutputRequest?
        /// The device tokens that APNs calls gone; nil for no list.
        package var unregistered: OutputRequest?
        package var journal: String?
        /// Whether the journal waits for the disk before anything is sent.
        package var isDurable = false
        /// Whether pushes are pushed again of which earlier runs of the journal do not know what became.
        package var pushesAgain = false
        /// The format of rows on standard output. The default writes none.
        package var format = OutcomesWriter.Format.none
        /// Files that are not written.
        package var inputs: NamedFiles

        package init(inputs: NamedFiles) { self.inputs = inputs }

        /// Refuses files that must not be written, before the run begins.
        package func check(_ input: InputFile) throws(CommandError) {
            if journal != nil, input.identity == nil {
                throw .usage("a journal needs an input that can be read again; \(input.name) is not a regular file.")
            }
            try outcomes?.check()
            try unregistered?.check()
        }

        /// The input as a journal is bound to it, which reads all of it; nil without a journal.
        package func binding(of input: InputFile) async throws(CommandError) -> InputBinding? {
            guard journal != nil else { return nil }
            return try await OwnThread("push.hash").run { () throws(CommandError) in try input.binding() }
        }

        /// Opens or makes the files.
        package func open(_ binding: InputBinding?) throws(CommandError) -> CampaignFiles {
            if let journal, let outcomes, let binding {
                return try CampaignFiles.resuming(
                    journal: journal, isDurable: isDurable, input: binding, outcomes: outcomes,
                    unregistered: unregistered, inputs: inputs, pushesAgain: pushesAgain)
            }
            // What must not be written is refused before either file is made.
            let list = try unregistered?.open()
            var files = CampaignFiles(
                try OutcomesWriter(outcomes?.open() ?? .standardOutput, format: outcomes == nil ? format : .csv))
            if let list { files.unregistered = try UnregisteredList(list) }
            return files
        }
    }
}

extension Journal {
    /// Commits the results of rows that were written behind a position, and not committed. Returns where they end.
    fileprivate func adoptRows(behind position: UInt64, of path: String, _ state: inout State) throws(CommandError)
        -> UInt64
    {
        let file = try InputFile(path)
        var read = position
        var (results, end) = try OutcomesTail.adopt(from: position, &state) { buffer throws(CommandError) in
            let count = try file.read(at: read, into: buffer)
            read += UInt64(count)
            return count
        }
        if end > position { try commit([], &results, outcomesSize: end) }
        return end
    }
}

extension Journal.Campaign {
    /// Refuses a campaign with another input or other outcomes.
    func check(journal path: String, input: InputBinding, outcomes: String) throws(CommandError) {
        guard self.input.isSameInput(as: input) else {
            throw .usage(
                "the journal \(path) belongs to another input: \(self.input.name), "
                    + "\(Figures.grouped(Int(clamping: self.input.size))) bytes; name another journal, "
                    + "or restore the input if it has changed.")
        }
        guard self.outcomes == outcomes else {
            throw .usage("the journal \(path) belongs to the outcomes \(self.outcomes); name that file.")
        }
    }
}

/// The folder of a new file. The file's name is on the disk once the folder is.
package enum SyncedFolder {
    /// - Parameter path: The absolute path of the file.
    package static func sync(of path: String) throws(CommandError) {
        let folder = path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
        let descriptor = open(folder + "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if descriptor >= 0 { _ = close(descriptor) } }
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            throw .configuration("cannot write \(folder)/ to the disk: \(SystemError.text(errno))")
        }
    }
}
