/// How pushes are written to their link.
extension ConnectionProcess {
    /// Writes consecutive pushes to a link. It is looked up and unwrapped once for all of them: others refer to it
    /// weakly, which makes each count of its references slow.
    ///
    /// - Returns: The index after the last of them.
    func submit(_ batch: inout [ConnectionAction], from start: Int, on id: LinkID) -> Int {
        guard let link = link(id) else {
            // A lost link also accepts it: the report of its loss says what happened to the push.
            if case .submit(_, _, _, let record, let streamID, _) = batch[start] {
                burst.changes.opened.append((record, streamID))
            }
            return start + 1
        }
        var index = start
        repeat {
            var action = ConnectionAction.noteSettled
            swap(&action, &batch[index])
            index += 1
            guard case .submit(_, _, let slot, let record, let streamID, let isFirst) = consume action else { break }
            submit(record, slot: slot, streamID: streamID, isFirst: isFirst, on: id, link: link)
        } while index < batch.count && batch[index].submitsTo == id && !link.isOver
        return index
    }

    private func submit(
        _ record: PushRecord, slot: Int32, streamID: PushStreamID, isFirst: Bool, on id: LinkID, link: Link
    ) {
        switch burst.write(record, slot: slot, as: streamID, on: link, isFirst: isFirst, now) {
        case .kept: break
        // What waits for its reset leaves at the end of the drain, unless the reset took it back.
        case .mayLeave: if !hasJudged { withScratch { link.writeNow(&$0) } }
        case .unsendable(let why): handle(.unsendable(id, slot: slot, why))
        case .failed(let cause): linkFailed(link, cause: cause)
        }
    }
}
