import PushCampaign
import PushInspection
import PushSimulator
import PushTerminal

#if Server
    import PushServer

    /// The inbox of a simulator.
    struct RunningInbox: Sendable {
        private let inbox: PushInbox

        /// Starts one, at the first place that is free.
        static func start(_ apple: SimulatedAPNs, _ plan: InboxPlan) async throws(CommandError) -> RunningInbox {
            var refusal: InboxError?
            for place in plan.places {
                var configuration = PushInbox.Configuration()
                configuration.host = place.host
                configuration.port = place.port
                configuration.names = plan.names
                configuration.token = plan.token
                do { return RunningInbox(inbox: try await apple.inbox(configuration)) } catch { refusal = error }
            }
            throw CommandError(.unavailable, refusal?.description ?? "The inbox has no address.")
        }

        var url: String { inbox.url }

        func stop() async { await inbox.stop() }

        static func checkIsBuiltIn() throws(CommandError) {}
    }
#else
    /// The inbox of a simulator, which this program was built without.
    struct RunningInbox: Sendable {
        static func start(_ apple: SimulatedAPNs, _ plan: InboxPlan) async throws(CommandError) -> RunningInbox {
            throw absence
        }

        let url: String

        func stop() async {}

        static func checkIsBuiltIn() throws(CommandError) { throw absence }

        private static let absence = CommandError(
            .unavailable,
            "this pushctl was built without the inbox; build it with swift build --traits Server, or install it by"
                + " scripts/install.sh")
    }
#endif
