import PushHTTP1
import PushTransport

/// Decides how a report is got: the request, questions with growing pauses, the report. It has no socket and no clock.
///
/// It decides alone which exchange shows the token: those with the host of the export, and no other one. No redirect is
/// followed there. The report is fetched without the token, over TLS, and its address may redirect a few times.
package struct ExportMachine: Sendable {
    package struct Limits: Sendable, Equatable {
        /// How long the report may take to be made.
        package var wait = Duration.seconds(600)
        /// How long one question may take.
        package var question = Duration.seconds(30)
        /// How long the download of the report may take.
        package var download = Duration.seconds(300)
        package var firstPause = Duration.seconds(1)
        package var longestPause = Duration.seconds(30)
        package var reportBytes = 64 << 20
        package var answerBytes = 64 << 10
        /// How many questions in a row may fail.
        package var failures = 3
        package var redirects = 3

        package init() {}
    }

    package enum Event: Sendable, Equatable {
        case begin
        case answered(HTTP1Message)
        case failed(WebFailure)
        /// A pause is over.
        case paused
        case stop
    }

    package enum Action: Sendable, Equatable {
        case exchange(WebQuery)
        case pause(Duration)
        case end(Result<[UInt8], ExportError>)
    }

    private enum Phase {
        case idle
        case requesting
        case asking
        case pausing
        case fetching(WebAddress, redirects: Int)
        case over
    }

    private let order: ExportOrder
    private let host: Endpoint
    private let limits: Limits
    private let reader: ExportAnswerReader
    private var phase = Phase.idle
    /// Where the status is asked for; on the host of the export.
    private var status: WebAddress
    private var pause: Duration
    private var failures = 0
    /// When the time for the report is over, counted as the events' times are.
    private var endsAt = Duration.zero

    /// - Parameter token: What no error shows, although a server may repeat it.
    package init(
        _ order: ExportOrder, at host: Endpoint, hiding token: ManagementToken? = nil, limits: Limits = Limits()
    ) {
        self.order = order
        self.host = host
        self.limits = limits
        reader = ExportAnswerReader(host: host, order: order, token: token)
        pause = limits.firstPause
        status = WebAddress(host, target: order.target)
    }

    /// - Parameter time: Since any beginning; it only grows.
    /// - Returns: The one thing to do. After an end there is nothing more.
    package mutating func handle(_ event: Event, at time: Duration) -> Action {
        switch (phase, event) {
        case (.over, _): return .end(.failure(.stopped))
        case (_, .stop): return end(.failure(.stopped))
        case (.idle, .begin):
            endsAt = time + limits.wait
            phase = .requesting
            return .exchange(query(.post, status, body: order.body))
        case (.requesting, .answered(let answer)): return taken(answer, at: time)
        case (.asking, .answered(let answer)): return told(answer, at: time)
        case (.asking, .failed(let failure)) where failure.kind == .link: return again(failure.sentence, at: time)
        case (.pausing, .paused): return ask()
        case (.fetching(let address, let redirects), .answered(let answer)):
            return fetched(answer, from: address, redirects: redirects)
        case (.fetching, .failed(let failure)) where failure.kind == .tooLong:
            return end(.failure(reader.tooLarge(limits.reportBytes)))
        case (_, .failed(let failure)): return end(.failure(reader.error(failure)))
        case (_, .begin), (_, .answered), (_, .paused):
            return end(.failure(ExportError(.badAnswer, "An answer came that nothing had asked for.")))
        }
    }

    // MARK: The three steps

    private mutating func taken(_ answer: HTTP1Message, at time: Duration) -> Action {
        do throws(ExportError) {
            status = try reader.statusAddress(answer)
            return ask()
        } catch { return end(.failure(error)) }
    }

    private mutating func ask() -> Action {
        phase = .asking
        return .exchange(query(.get, status))
    }

    private mutating func told(_ answer: HTTP1Message, at time: Duration) -> Action {
        if let sentence = reader.passingTrouble(answer) { return again(sentence, at: time) }
        do throws(ExportError) {
            failures = 0
            guard let address = try reader.reportAddress(answer) else { return wait(at: time) }
            return fetch(address, redirects: 0)
        } catch { return end(.failure(error)) }
    }

    private mutating func fetched(_ answer: HTTP1Message, from address: WebAddress, redirects: Int) -> Action {
        do throws(ExportError) {
            if let next = try reader.redirect(answer, from: address) {
                guard redirects < limits.redirects else {
                    throw ExportError(.badAnswer, "The report's address redirects more than \(limits.redirects) times.")
                }
                return fetch(next, redirects: redirects + 1)
            }
            return end(.success(try reader.report(answer, from: address, limit: limits.reportBytes)))
        } catch { return end(.failure(error)) }
    }

    private mutating func fetch(_ address: WebAddress, redirects: Int) -> Action {
        phase = .fetching(address, redirects: redirects)
        return .exchange(
            WebQuery(
                method: .get, address: address, showsToken: false, body: [], mostBytes: limits.reportBytes,
                limit: limits.download))
    }

    // MARK: Pauses

    /// A question had no answer that says something. It is asked again, a few times.
    private mutating func again(_ sentence: String, at time: Duration) -> Action {
        failures += 1
        guard failures < limits.failures else { return end(.failure(ExportError(.unavailable, sentence))) }
        return wait(at: time)
    }

    private mutating func wait(at time: Duration) -> Action {
        guard time + pause <= endsAt else {
            return end(
                .failure(
                    ExportError(
                        .unavailable,
                        "The report was not ready in \(limits.wait.components.seconds) s. Ask again later: within 24 hours "
                            + "the same request leads to the same report.")))
        }
        phase = .pausing
        defer { pause = min(pause * 2, limits.longestPause) }
        return .pause(pause)
    }

    private mutating func end(_ result: Result<[UInt8], ExportError>) -> Action {
        phase = .over
        return .end(result)
    }

    private func query(_ method: WebQuery.Method, _ address: WebAddress, body: [UInt8] = []) -> WebQuery {
        WebQuery(
            method: method, address: address, showsToken: address.endpoint == host, body: body,
            mostBytes: limits.answerBytes, limit: limits.question)
    }
}
