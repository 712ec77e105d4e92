import Dispatch
import HandWrittenFrames
import PushLocking
import PushSimulator
import PushTransport

/// A server of frames written by hand: TLS as ever over a network in memory, and behind it what a script says.
///
/// A script is called for each thing that happens on a connection, on that connection's queue.
package final class HandWrittenPeer: Sendable {
    package typealias Script = @Sendable (HandWrittenConversation, HandWrittenConversation.Happening) -> Void

    private struct State {
        var script: @Sendable (Int) -> Script
        var conversations: [HandWrittenConversation] = []
    }

    private let state: Locked<State>
    private let context: TLSContext

    /// Listens at `endpoint`; `script` gives the script of each connection by its number, from 1.
    package init(
        on network: MemoryNetwork, at endpoint: Endpoint, credentials: ThrowAwayCredentials,
        _ script: @escaping @Sendable (Int) -> Script
    ) throws {
        state = Locked(State(script: script))
        context = try TLSContext.server(
            identity: Identity(
                certificate: Array(credentials.serverCertificatePEM.utf8), key: Array(credentials.serverKeyPEM.utf8)))
        network.listen(on: endpoint) { [weak self] channel in self?.accept(channel) }
    }

    private func accept(_ channel: MemoryChannel) {
        guard let engine = try? TLSEngine(server: context) else { return channel.abort() }
        let conversation = state.withLock { state in
            let number = state.conversations.count + 1
            let conversation = HandWrittenConversation(number, channel, engine, state.script(number))
            state.conversations.append(conversation)
            return conversation
        }
        conversation.start()
    }

    /// The connections so far, oldest first.
    package var conversations: [HandWrittenConversation] { state.withLock { $0.conversations } }

    /// Releases the connections.
    package func end() {
        for conversation in state.withLock({ $0.conversations }) { conversation.end() }
    }

    /// Obeys: SETTINGS, acknowledgements, and 200 for every request.
    package static let obedient: Script = { conversation, happening in
        switch happening {
        case .opened:
            conversation.write(HandWritten.settings([(3, 100)]))
        case .frame(let frame) where frame.isKind(.settings) && frame.flags & 1 == 0:
            conversation.write(HandWritten.settingsAcknowledgement)
        case .frame(let frame) where frame.isKind(.ping) && frame.flags & 1 == 0:
            conversation.write(HandWritten.frame(.ping, flags: 1, frame.payload))
        case .frame(let frame) where frame.isKind(.data) && frame.flags & HandWritten.endStream != 0:
            conversation.write(HandWritten.headers(frame.stream, [(":status", "200")], end: true))
        case .frame, .closed:
            break
        }
    }

    /// Does TLS and says nothing.
    package static let silent: Script = { _, _ in }

    /// Says SETTINGS, waits for `requests` whole ones, then says `bytes` and does `ending`.
    package static func saying(
        _ bytes: [UInt8], after requests: Int, settings: [UInt8] = HandWritten.settings([(3, 100)]),
        then ending: @escaping @Sendable (HandWrittenConversation) -> Void = { _ in }
    ) -> Script {
        { conversation, happening in
            switch happening {
            case .opened:
                conversation.write(settings)
                guard requests == 0 else { return }
            case .frame(let frame) where frame.isKind(.data) && frame.flags & HandWritten.endStream != 0:
                guard conversation.wholeRequests == requests else { return }
            case .frame, .closed: return
            }
            conversation.write(bytes)
            ending(conversation)
        }
    }
}
