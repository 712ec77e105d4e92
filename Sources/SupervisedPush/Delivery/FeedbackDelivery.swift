import Locking
import Logging

/// Calls the feedback handler, one event after the other, in a task of its own: a handler that is slow or throws harms
/// nobody. At most 10,000 events wait; beyond that the newest are dropped, counted and reported.
final class FeedbackDelivery: Sendable {
    private enum Message: MailboxMessage {
        case event(FeedbackEvent)
        case overflowed(_ count: Int)
    }

    static let limit = 10_000

    private let mailbox = Mailbox<Message>(limit: FeedbackDelivery.limit)

    init(
        handler: @escaping ConnectionConfig.FeedbackHandler, logger: Logger?,
        onOverflow: @escaping @Sendable (Int) -> Void
    ) {
        Task { [mailbox] in
            for await message in mailbox {
                switch message {
                case .event(let event):
                    do { try await handler(event) } catch {
                        logger?.warning(
                            "the feedback handler threw", metadata: ["error": "\(type(of: error))"])
                    }
                case .overflowed(let count): onOverflow(count)
                }
            }
        }
    }

    func post(_ event: FeedbackEvent) { _ = mailbox.post(.event(event)) }

    /// The handler still gets what was posted before, then its task ends.
    func close() { mailbox.close() }
}
