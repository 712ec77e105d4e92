/// A wish that a process end, in its place among the messages. Not nested in the generic inbox: looking for one after
/// each message then needs no metadata at run time.
struct ExitRequest {
    /// How many messages, counted from the first one ever sent, come before it.
    let position: Int
    let reason: ExitReason
}
