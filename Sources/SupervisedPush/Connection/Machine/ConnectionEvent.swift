import ProcessRuntime
import PushHTTP2
import PushTransport

/// What a connection machine is told.
enum ConnectionEvent {
    /// The process began.
    case start
    /// Pushes came from the room, in call order.
    case taken(RoomSupply)
    /// Pushes wait in the room.
    case look
    /// A caller cancelled its push.
    case cancel(PushRecord)
    /// The link that is dialled came so far.
    case dialReached(LinkID, DialStep)
    /// What a link told at one time, in its order. `hasBytes`: bytes arrived from the peer, be it that they mean
    /// nothing yet.
    case burst(LinkID, [LinkNews], hasBytes: Bool)
    /// The request of a push that was to be written cannot be made, and nothing of it was written.
    case unsendable(LinkID, slot: Int32, UnsendablePush)
    /// The link broke, or never came up; with its streams. Of those it does not speak of, the ones up to
    /// `lastSubmitted` were written, and the others never reached it.
    case linkLost(LinkID, LinkFailure, [LostStream], lastSubmitted: Int32 = 0)
    /// The answer to `withdraw`.
    case withdrawn(slot: Int32, WireState)
    /// The answer to `renewToken`: whether there is a newer token now.
    case tokenChecked(LinkID, slot: Int32, isNewer: Bool, PushResponse)
    /// Time passed.
    case tick
    /// Send what can be sent by the deadline, then end.
    case close(deadline: MonotonicInstant)
    /// Another connection of the name learned something of the credential, or a push is to try it.
    case credential(CredentialNews)
    /// The answer to `judge` and `refuseCredential`. `isOwn`: this connection brought it about; `isSound`: accepted
    /// pushes need no judgement.
    case judged(CredentialNews?, isOwn: Bool, isSound: Bool)
    /// Another credential is there for the connection.
    case credentialOffered(CredentialOffer)
}

/// One thing that a link tells while it lives.
enum LinkNews {
    /// SETTINGS of the peer; nil: it states no limit. With the first ones the link is up.
    case settings(maxStreams: Int?)
    /// A valid final status arrived. `retryFrom`: its `Retry-After`.
    case answered(slot: Int32, PushResponse, retryFrom: MonotonicInstant? = nil)
    /// A stream ended without one; the fate is what the wire knows of the request.
    case streamClosed(slot: Int32, StreamEnd, WriteFate)
    /// The peer sent GOAWAY. The streams above its last one follow, each as `streamClosed`.
    case goAway(reason: String?)
    /// The PING with this id was answered.
    case pong(UInt64)
}

/// What is known of a request on a link that lives.
enum WireState: Equatable {
    case written(WriteFate)
    /// Its final status is there, and the rest of the answer is not.
    case answered(PushResponse)
}

/// How far an attempt to connect came.
enum DialStep: Equatable {
    /// What the link is to show is being loaded. If that fails, the link is lost.
    case loading
    /// It was loaded, and the link is dialled.
    case connecting
    /// A proxy is reached, and asked for the tunnel.
    case tunnelling
    /// The tunnel stands.
    case tunnelled
}

/// Another credential, as far as it is decided by.
struct CredentialOffer: Sendable, Equatable {
    /// It is a certificate, and no key for provider tokens.
    let isCertificate: Bool
    /// Another connection of the pool came up with it: it is taken, and a link that cannot be dialled is tried again.
    var isProven = false
    /// What `takeOffer` and `declineOffer` call it; 0 for one that is proven.
    var number = 0
}

/// How a stream ended that brought no valid final status.
enum StreamEnd: Equatable {
    /// It was reset, or refused by GOAWAY.
    case reset(HTTP2ErrorCode)
    /// The answer has no status, an odd one, or breaks HTTP/2's rules.
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
