import PushSimulator
import SupervisedPush

/// Frames that break HTTP/2, or its spirit.
extension FaultMatrix {
    static let frames = FaultChapter(
        title: "Frames that break HTTP/2",
        remark: """
            The simulator processes what is in flight and writes the broken frame in the middle of the answers. What was \
            answered before it is delivered; the link ends, and what was to be answered after it is unknown.
            """,
        faults: BrokenFrame.allCases.map { frame in broken("broken frame: \(frame.rawValue)", .brokenFrame(frame)) }
            + [
                broken("PUSH_PROMISE before the answer", .pushPromise),
                broken("a header block that cannot be decoded", .malformedAnswer(.headerBlock)),
                broken("DATA before the HEADERS of the answer", .malformedAnswer(.dataBeforeHeaders)),
            ])

    static func broken(_ name: String, _ fault: Fault) -> FaultCase {
        once(name, fault) { cell in
            .unknown(
                cell.load.inFlight - cell.load.half + 1, processed: cell.load.inFlight - cell.load.half + 1,
                of: cell.load)
        }
    }
}
