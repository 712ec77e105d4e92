import Dispatch
import Glibc
import PushCampaign
import PushLocking
import PushTerminal
import PushTransport
import SupervisedPush

/// Walks through the layers to the server, one after the other, until one fails, and records what it sees.
///
/// Name, addresses, tunnel and TLS are checked one by one. Then one of the library's connections comes up and carries
/// one push. Each step has the connection's time limits.
final class DoctorWalk: Sendable {
    private static let name = "doctor"
    /// A device that cannot exist.
    /// A device token of no device.
    static let nowhere = String(repeating: "0", count: 64)

    private let config: PushConnection.Configuration
    private let plan: DialPlan
    private let context: TLSContext?
    private let progress: @Sendable (DoctorFacts) -> Void
    private let news = LinkFacts()
    private let runtime = PushRuntime(.init(logger: nil))
    private let state: Locked<DoctorFacts>
    private let isOut = Locked(false)
    private let queue = DispatchQueue(label: "pushctl.doctor", target: .global(qos: .userInteractive))

    /// The facts so far.
    var facts: DoctorFacts { state.withLock { $0 } }

    /// - Parameters:
    ///   - hasCredential: Without one, the walk ends with the link, and that of the configuration is never shown.
    ///   - problem: A known problem with the credential's files.
    ///   - progress: Called with the facts before each step.
    init(
        _ config: PushConnection.Configuration, hasCredential: Bool = true, credentialProblem problem: String?,
        progress: @escaping @Sendable (DoctorFacts) -> Void
    ) throws(CommandError) {
        let plan: DialPlan
        do { plan = try DialPlan(config) } catch { throw CommandError(error) }
        var facts = DoctorFacts(
            endpoint: "\(plan.endpoint)", port: plan.endpoint.port, environment: "\(config.environment)")
        facts.proxy = plan.proxy?.description
        if plan.proxy == nil { facts.proxyPassedBy = ProxyPassedBy.sentence(config.proxy, endpoint: plan.endpoint) }
        facts.topic = config.defaults.topic?.rawValue
        facts.now = Int64(time(nil))
        facts.clockSync = .now
        facts.hasCredential = hasCredential
        facts.credentialProblem = problem
        var context: TLSContext?
        do {
            context = try plan.context()
            if problem == nil, hasCredential {
                do { facts.credential = try CredentialFacts(config) } catch {
                    facts.credentialProblem = error.description
                }
            }
        } catch {
            facts.trustProblem = error.description
        }
        self.config = config
        self.plan = plan
        self.context = context
        self.progress = progress
        state = Locked(facts)
    }

    func run() async {
        defer { state.withLock { $0.trial = nil } }
        guard let literals = await resolve(), await connect(literals), await secure() else { return }
        guard facts.credentialProblem == nil, await bringUp(), facts.hasCredential else { return }
        await push()
    }

    /// Whether the push is under way.
    var isPushing: Bool { isOut.withLock { $0 } }

    /// Ends the connection. A push under way has this time for its answer.
    func stop(within time: Duration) async { await runtime.shutdown(within: time) }

    /// Says what is waited for.
    private func begin(_ layer: DoctorLayer, within limit: Duration) {
        progress(
            state.withLock { facts in
                facts.trial = DoctorFacts.Trial(layer: layer, limit: limit)
                return facts
            })
    }

    // MARK: The route

    /// The proxy's endpoint, otherwise the server's.
    private var firstHop: Endpoint { plan.proxy?.endpoint ?? plan.endpoint }

    private func resolve() async -> [String]? {
        begin(.resolve, within: plan.connectTimeout)
        let (host, queue, watch) = (firstHop.host, queue, Stopwatch())
        let answer = await TimedAnswer.wait(within: plan.connectTimeout, on: queue) {
            Resolver().literals(of: host, on: queue, completion: $0)
        }
        let tooSlow = DoctorFacts.Failure(DoctorAdvice.noTime, "The name servers did not answer for \(host) in time.")
        let result = answer.map { $0.mapError { DoctorFacts.Failure($0) } } ?? .failure(tooSlow)
        state.withLock { $0.resolution = DoctorFacts.Step(watch.elapsed, result) }
        return try? result.get()
    }

    private func connect(_ literals: [String]) async -> Bool {
        begin(.connect, within: plan.connectTimeout)
        let watch = Stopwatch()
        let addresses = await AddressProbe(literals, port: firstHop.port, on: queue).run(within: plan.connectTimeout)
        state.withLock { facts in
            facts.addresses = addresses
            facts.connecting = addresses.filter { $0.problem == nil }.map(\.duration).min() ?? watch.elapsed
        }
        return addresses.contains { $0.problem == nil }
    }

    /// TLS to the server, through the proxy if there is one.
    private func secure() async -> Bool {
        guard let channel = await channel() else { return false }
        guard let context else {
            queue.async { channel.abort() }
            return false
        }
        begin(.tls, within: plan.connectTimeout)
        let (host, queue, watch) = (plan.endpoint.host, queue, Stopwatch())
        let end = await TimedAnswer.wait(within: plan.connectTimeout, on: queue) {
            HandshakeProbe(channel, context: context, host: host, on: queue, completion: $0)
        }
        let tooSlow = DoctorFacts.Failure(
            DoctorAdvice.noTime, "\(plan.endpoint) did not finish the TLS handshake in time.")
        return record(end?.handshake, failure: end.map(\.failure) ?? tooSlow, watch: watch)
    }

    private func record(
        _ handshake: DoctorFacts.Handshake?, failure: DoctorFacts.Failure?, watch: Stopwatch
    ) -> Bool {
        state.withLock { facts in
            facts.handshake = handshake
            facts.securing = DoctorFacts.Step(watch.elapsed, failure.map { .failure($0) } ?? .success(()))
        }
        return failure == nil
    }

    private func channel() async -> (any ByteChannel)? {
        let (endpoint, queue, watch) = (plan.endpoint, queue, Stopwatch())
        let connector: any Connector =
            plan.proxy.map { ProxyConnector($0, through: SocketConnector()) } ?? SocketConnector()
        let limit = plan.connectTimeout + (plan.proxy == nil ? .zero : plan.tunnelTimeout)
        begin(plan.proxy == nil ? .tls : .proxy, within: limit)
        let result = await TimedAnswer.wait(within: limit, on: queue) {
            connector.connect(to: endpoint, on: queue, completion: $0)
        }
        let elapsed = watch.elapsed
        switch result {
        case .success(let channel)?:
            if plan.proxy != nil { state.withLock { $0.tunnel = DoctorFacts.Step(elapsed, .success(())) } }
            return channel
        case .failure(let error)?: noteNoChannel(DoctorFacts.Failure(error), elapsed)
        case nil:
            let tooSlow = DoctorFacts.Failure(DoctorAdvice.noTime, "\(firstHop) did not answer in time.")
            noteNoChannel(tooSlow, elapsed)
        }
        return nil
    }

    private func noteNoChannel(_ failure: DoctorFacts.Failure, _ elapsed: Duration) {
        state.withLock { facts in
            if plan.proxy == nil {
                facts.securing = DoctorFacts.Step(elapsed, .failure(failure))
            } else {
                facts.tunnel = DoctorFacts.Step(elapsed, .failure(failure))
            }
        }
    }

    // MARK: The link

    private func bringUp() async -> Bool {
        begin(.settings, within: plan.connectTimeout)
        let watch = Stopwatch()
        let config = config.with { config in
            config.watching.observer = news
            // What it would log is in the verdicts.
            config.watching.logger = nil
        }
        do {
            try runtime.connect(name: Self.name, config: config)
        } catch {
            state.withLock { $0.credentialProblem = error.description }
            return false
        }
        for await fact in news.facts {
            switch fact {
            case .settings(let limit): noteSettings(.success(limit), watch)
            case .up: return true
            case .failed(let cause):
                noteSettings(.failure(DoctorFacts.Failure(cause.layer.name, cause.description)), watch)
                return false
            case .refused(let refusal):
                state.withLock { facts in
                    facts.refusal = refusal.description
                    facts.refusalReason = refusal.reason?.rawValue
                }
                return false
            case .ended(let reason):
                if reason.isAbnormal, reason.credentialRefusal == nil {
                    noteSettings(.failure(Self.processFailed), watch)
                }
                return false
            }
        }
        return false
    }

    private static let processFailed = DoctorFacts.Failure(
        "process", "The connection's process failed: TLS or HTTP/2 could not be set up on this machine.")

    private func noteSettings(_ result: Result<Int?, DoctorFacts.Failure>, _ watch: Stopwatch) {
        state.withLock { $0.settings = DoctorFacts.Step(watch.elapsed, result) }
    }

    // MARK: The push

    private func push() async {
        begin(.push, within: config.timeout)
        let watch = Stopwatch()
        isOut.withLock { $0 = true }
        let answer: DoctorFacts.Answer
        var clockAhead: Int64?
        do {
            var notification = PushNotification.alert(title: "pushctl doctor", body: "A push to no device")
            notification.expiration = Expiration(unixSeconds: 0)
            let response = try await runtime.push(
                name: Self.name, notification, to: try DeviceToken(Self.nowhere))
            answer = .init(response)
            clockAhead = response.headers["date"].flatMap(HTTPDate.seconds).map { $0 - Int64(time(nil)) }
        } catch let error as PushError where error.code == .credentialRefused {
            answer = .refused(error.description)
        } catch let error as PushError {
            // A push that waits for the next link does not say why the last one was lost.
            let loss = error.certainty == .notSent ? news.lastLoss : nil
            answer = .none(
                code: error.code.name,
                sentence: loss.map { "The link was lost: \($0.description)" } ?? error.description,
                mayHaveArrived: error.certainty == .unknown)
        } catch {
            answer = .none(code: "invalid_request", sentence: "\(error)", mayHaveArrived: false)
        }
        state.withLock { facts in
            facts.clockAhead = clockAhead
            facts.answer = DoctorFacts.Step(watch.elapsed, .success(answer))
        }
    }
}

extension DoctorFacts.Answer {
    init(_ response: PushResponse) {
        if !response.isAccepted, response.reason == nil, response.apnsID == nil {
            self = .foreign(status: response.status, server: response.headers["server"])
            return
        }
        let sentence = response.reason.flatMap { $0.isKnown ? "\($0.meaning) \($0.remedy)" : nil }
        self = .response(
            status: response.status, reason: response.reason?.rawValue, sentence: sentence ?? response.advice?.sentence)
    }
}
