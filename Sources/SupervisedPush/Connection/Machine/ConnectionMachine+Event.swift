import ProcessRuntime
import PushHTTP2
import PushTransport

extension ConnectionMachine {
    /// An event of a connection machine.
    enum Event {
        /// The process began.
        case start
        /// Pushes from the room, in call order.
        case taken(RoomSupply)
        /// Pushes wait in the room.
        case pushesWait
        /// What the flow control of this link's peer takes now.
        case window(LinkID, SendWindow)
        /// A caller cancelled its push.
        case cancel(PushRecord)
        /// The link being dialled has reached this step.
        case dialReached(LinkID, DialStep)
        /// What a link reported at one time, in order. `hasBytes`: bytes arrived from the peer, even if they form no event
        /// yet.
        case burst(LinkID, [LinkNews], hasBytes: Bool)
        /// The request of a push cannot be made, and nothing of it was written.
        case unsendable(LinkID, slot: Int32, UnsendablePush)
        /// The link broke, or never came up. Of its streams that are not listed, those up to `lastSubmitted` were written,
        /// and the others never reached it.
        case linkLost(LinkID, LinkFailure, [LostStream], lastSubmitted: Int32 = 0)
        /// The answer to `withdraw`.
        case withdrawn(slot: Int32, WireState)
        /// The answer to `renewToken`: whether there is a newer token now.
        case tokenChecked(LinkID, slot: Int32, isNewer: Bool, PushResponse)
        /// Time passed.
        case tick
        /// Send what can be sent by the deadline, then end.
        case close(deadline: MonotonicInstant)
        /// News of the credential from another connection of the name, or a push should probe it.
        case credential(CredentialNews)
        /// The answer to `judge` and `refuseCredential`. `isOwn`: this connection caused it. `isHealthy`: accepted pushes
        /// need no judgement.
        case judged(CredentialNews?, isOwn: Bool, isHealthy: Bool)
        /// Another credential is offered to the connection.
        case credentialOffered(CredentialOffer)
    }
}

/// One event of a live link.
enum LinkNews {
    /// SETTINGS of the peer; nil: no limit. The first ones bring the link up.
    case settings(maxStreams: Int?)
    /// A valid final status arrived. `retryFrom`: its `Retry-After`.
    case answered(slot: Int32, PushResponse, retryFrom: MonotonicInstant? = nil)
    /// A stream ended without a final status; the fate is what the wire knows about the request.
    case streamClosed(slot: Int32, StreamEnd, WriteFate)
    /// The peer sent GOAWAY. The streams above its last one follow, each as `streamClosed`.
    case goAway(reason: String?, lastStream: Int32 = 0)
    /// The PING with this id was answered.
    case pong(UInt64)
}

/// What is known about a request on a live link.
enum WireState: Equatable {
    case written(WriteFate)
    /// Its final status has arrived; the rest of the answer has not.
    case answered(PushResponse)
}

/// How far an attempt to connect has come.
enum DialStep: Equatable {
    /// The link's credential is being loaded. If that fails, the link is lost.
    case loading
    /// The credential was loaded, and the link is dialled.
    case connecting
    /// The proxy is reached, and was asked for the tunnel.
    case tunnelling
    /// The tunnel is open.
    case tunnelled
}

/// An offered credential: the facts that the machine needs.
struct CredentialOffer: Sendable, Equatable {
    /// It is a certificate, not a key for provider tokens.
    let isCertificate: Bool
    /// Another connection of the pool came up with it: it is adopted, and a failed dial is repeated.
    var isProven = false
    /// Its number for `acceptOffer` and `declineOffer`; 0 if it is proven.
    var number = 0
}

/// How a stream ended without a valid final status.
enum StreamEnd: Equatable {
    /// It was reset, or refused by GOAWAY.
    case reset(HTTP2ErrorCode)
    /// The answer has no status, an invalid one, or violates HTTP/2.
    case malformedAnswer
}

/// A stream of a link that broke.
struct LostStream {
    let slot: Int32
    let fate: WriteFate
    /// The answer, if a valid final status had arrived.
    let answer: PushResponse?
    /// Its `Retry-After`.
    var retryFrom: MonotonicInstant?
}

/// A link of a process that failed; as in `linkLost`.
struct LostLink {
    let id: LinkID
    let streams: [LostStream]
    var lastSubmitted: Int32 = 0
}
