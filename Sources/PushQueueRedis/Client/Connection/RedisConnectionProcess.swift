import ProcessRuntime
import PushQueue
import PushTransport

/// Performs what a ``RedisConnectionMachine`` decides: owns the socket, the parser, the timer and the calls.
final class RedisConnectionProcess: Behavior {
    private let setting: Setting
    private var machine: RedisConnectionMachine
    private var calls: [UInt64: RedisCall] = [:]
    private var lastCall: UInt64 = 0
    private var process: ProcessContext<RedisCall>?
    private var timer: (any OneShotTimer)?
    private var dial: (any Cancellable)?
    private var wire: (any RedisWire)?
    private var session: RedisSession?
    private var password: [UInt8]?
    /// Where the connection goes.
    private var target: RedisTarget?
    /// How many bytes the greeting had, which are not those of calls.
    private var greetingSize: UInt64 = 0
    private var hasGreeted = false
    private var isReady = false
    private var arrived: [RedisReply] = []
    /// What is wrong with the bytes that arrived.
    private var violation: RedisFailure?
    private var events: [RedisConnectionMachine.Event] = []

    /// What all lives of the process share.
    struct Setting: Sendable {
        let configuration: RedisConnection.Configuration
        let book: RedisCallBook
        /// Nil without TLS.
        let context: TLSContext?
        let connector: any Connector
        let onSession: @Sendable (RedisServerSession) -> Void
    }

    init(_ setting: Setting, after last: RedisServerSession?) {
        self.setting = setting
        machine = RedisConnectionMachine(setting.configuration, seed: .random(in: 0 ... .max), after: last)
    }

    func started(in context: ProcessContext<RedisCall>) {
        process = context
        timer = context.makeTimer { [unowned self] in step(.timePassed) }
        step(.started)
    }

    func receive(_ call: RedisCall, in context: ProcessContext<RedisCall>) {
        lastCall += 1
        calls[lastCall] = call
        step(.called(lastCall, replies: call.commands, bytes: call.bytes.count, deadline: call.deadline))
    }

    func flush(in context: ProcessContext<RedisCall>) {
        wire?.flush()
        if let wake = machine.nextWake { timer?.arm(at: wake) } else { timer?.disarm() }
    }

    func terminated(_ reason: ExitReason, in context: ProcessContext<RedisCall>) {
        timer?.cancel()
        endWire()
        for call in calls.values { call.end(.failure(setting.book.processEnded.error)) }
        calls = [:]
    }

    // MARK: Actions

    private func step(_ event: RedisConnectionMachine.Event) {
        events.append(event)
        // An action may bring the next event: it is handled after the other actions.
        guard events.count == 1 else { return }
        while let event = events.first {
            for action in machine.handle(event, now) { perform(action) }
            events.removeFirst()
        }
    }

    private var now: MonotonicInstant { process?.time.now ?? .distantFuture }

    private func perform(_ action: RedisConnectionMachine.Action) {
        switch action {
        case .open(let target): open(target)
        case .greet: greet()
        case .leave: endWire()
        case .publish(let session):
            isReady = true
            setting.onSession(session)
        case .write(let id): if let call = calls[id] { wire?.write(call.bytes) }
        case .ping: wire?.write(RedisCommand.wireBytes(of: [RedisConnectionMachine.ping]))
        case .answer(let id, let replies): calls.removeValue(forKey: id)?.end(.success(replies))
        case .fail(let id, let failure): calls.removeValue(forKey: id)?.end(.failure(failure.error))
        case .drop(let failure): drop(failure)
        }
    }

    /// The configuration for where the connection goes.
    private var reached: RedisConnection.Configuration {
        target.map { setting.configuration.reaching($0) } ?? setting.configuration
    }

    private func open(_ target: RedisTarget) {
        guard let process else { return }
        self.target = target
        let address = reached.address
        do {
            password = try address.password?.load()
            session = try RedisSession()
        } catch {
            return step(.lost(error))
        }
        let connected = process.callback { [weak self] (result: Result<any ByteChannel, TransportError>) in
            guard let self else { return }
            dial = nil
            switch result {
            case .success(let channel): start(channel)
            case .failure(let error): step(.lost(failure(error)))
            }
        }
        let endpoint = Endpoint(host: address.socketPath ?? address.host, port: address.port)
        dial = setting.connector.connect(to: endpoint, on: process.queue, completion: connected)
    }

    private func start(_ channel: any ByteChannel) {
        guard let process else { return channel.abort() }
        do throws(TransportError) {
            let host = reached.address.host
            let wire: any RedisWire =
                if let context = setting.context {
                    try SecureRedisWire(channel, context: context, serverName: host)
                } else {
                    PlainRedisWire(channel)
                }
            self.wire = wire
            wire.start(on: process.queue, owner: self)
        } catch {
            channel.abort()
            step(.lost(failure(error)))
        }
    }

    private func failure(_ error: TransportError) -> RedisFailure {
        RedisFailure(error, of: reached.description, showsCertificate: setting.configuration.tls.certificateFile != nil)
    }

    private func greet() {
        let commands = greeting
        password = nil
        let bytes = RedisCommand.wireBytes(of: commands)
        greetingSize = UInt64(bytes.count)
        hasGreeted = true
        wire?.write(bytes)
    }

    private var greeting: [RedisCommand] {
        if case .sentinel? = target, let sentinels = setting.configuration.address.sentinels {
            return RedisSentinelQuestion(sentinels, at: reached.description).commands(password: password)
        }
        return RedisGreeting(reached).commands(password: password)
    }

    private func drop(_ failure: RedisFailure) {
        let sent = sentOfCalls
        endWire()
        step(.lost(failure, sent: sent))
    }

    private var sentOfCalls: UInt64 {
        guard let sent = wire?.sent, sent > greetingSize else { return 0 }
        return sent - greetingSize
    }

    private func endWire() {
        dial?.cancel()
        dial = nil
        wire?.abort()
        wire = nil
        session = nil
        password = nil
        arrived = []
        violation = nil
        greetingSize = 0
        hasGreeted = false
        isReady = false
    }
}

extension RedisConnectionProcess: RedisWireOwner {
    func wireOpened() { process?.perform { step(.opened) } }

    func wireReceived(_ bytes: UnsafeRawBufferPointer) {
        guard violation == nil, let session else { return }
        do { try session.receive(bytes, into: &arrived) } catch { violation = error }
    }

    func wireDrained() { process?.perform { deliver() } }

    func wireEnded(_ error: TransportError?) {
        process?.perform {
            deliver()
            guard wire != nil else { return }
            drop(loss(error))
        }
    }

    private func loss(_ error: TransportError?) -> RedisFailure {
        let failure =
            error.map { self.failure($0) } ?? RedisFailure(.unreachable, "\(reached) closed the connection.")
        guard failure.code == .unreachable, hasGreeted, !isReady else { return failure }
        // A server without TLS or a connection left may end the connection before its reason arrives.
        let tls = setting.context == nil ? "; if the port uses TLS, write rediss:// for redis://" : ""
        return RedisFailure(
            .unreachable, "\(failure) It never answered: check that its maxclients are not reached\(tls).")
    }

    private func deliver() {
        if !arrived.isEmpty {
            let replies = arrived
            arrived.removeAll(keepingCapacity: replies.count < 4_096)
            step(.received(replies))
        }
        if let violation, wire != nil { drop(violation) }
    }
}
