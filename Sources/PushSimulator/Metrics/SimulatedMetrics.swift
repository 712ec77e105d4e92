/// How a simulator plays Apple's export of metrics, over HTTPS on a port of its own.
///
/// It plays the three steps: a request is answered with the address of its status, the status with the address of the
/// report, and the report is a CSV file. Its figures are those of the pushes that the simulator has accepted. An export
/// ends yesterday, so each push is dated a day early: it can be exported at once.
public struct SimulatedMetrics: Sendable, Hashable {
    /// What goes wrong.
    public enum Failure: Sendable, Hashable {
        /// Every token is refused: 401.
        case unauthorized
        /// The channel of a request does not exist: 404.
        case channelNotFound
        /// A request is answered with 500.
        case internalError
        /// The status becomes `FAILED`.
        case failed
        /// The status becomes `EXPIRED`.
        case expired
        /// The status stays `PROCESSING`.
        case neverFinished
        /// A request is redirected to this address.
        case requestRedirected(String)
        /// The status of a request is at this address.
        case statusAt(String)
        /// The report is at this address.
        case reportAt(String)
        /// The report is redirected to this address.
        case reportRedirected(String)
    }

    /// The token that it accepts, unless another one is set. It protects nothing.
    public static let usualToken = "simulated-management-token"

    /// The port, 0…65535. 0, the default, chooses a free one: ``SimulatedAPNs/metricsPort``.
    public var port = 0
    /// The token that it accepts: ``usualToken`` by default.
    public var managementToken = SimulatedMetrics.usualToken
    /// How often the status is `PROCESSING` before the report is ready. Once by default.
    public var polls = 1
    /// How many devices follow each channel; below 100 a report has −1 in place of each figure. 1,000 by default.
    public var subscribers = 1_000
    /// What goes wrong; nil, the default, for nothing.
    public var failure: Failure?

    /// Creates the settings with the documented defaults.
    public init() {}
}

/// A request to a simulated export, as it arrived.
package struct MetricsRequest: Sendable, Hashable {
    package let method: String
    package let target: String
    /// Whether it had a header field for the token, whatever was in it.
    package let showedToken: Bool
    package let status: Int
}
