import ProcessRuntime
import PushHTTP2

/// Creates, reads, deletes and lists the broadcast channels of one app, over a supervised connection to Apple's
/// management host. Made by ``PushRuntime/channels(bundleID:config:limit:owner:)``.
///
/// Requests have the guarantees of pushes: one outcome each, within the time of their options, with its certainty if it
/// is not an answer. Requests that were certainly not processed are resent automatically. All methods may be called
/// from any thread or task; they suspend and never block. This object keeps its runtime alive. Releasing it closes the
/// connection without grace.
public final class BroadcastChannels: Sendable {
    /// How many channels Apple lets an app have in each environment.
    public static let appleLimit = 10_000

    /// The app.
    public let bundleID: String
    /// How many channels the app may have.
    public let limit: Int
    /// Its connection, for its status and its messages. It is not for pushes.
    public let connection: PushConnection
    private let entrance: PushEntrance
    private let count: ChannelCount

    init(_ bundleID: String, on connection: PushConnection, entrance: PushEntrance, limit: Int) {
        self.bundleID = bundleID
        self.limit = limit
        self.connection = connection
        self.entrance = entrance
        count = ChannelCount(limit: limit)
    }

    deinit { connection.destination.close(by: connection.runtime.now) }

    /// Creates a channel.
    ///
    /// The first call lists the app's channels to count them, in the connection's own time. Calls in the meantime wait
    /// for the list, unless their task is cancelled. From then on creations and deletions are counted. If the app has
    /// as many channels as it may have, nothing is sent. A creation that may have been processed is never resent
    /// automatically, whatever the options say.
    ///
    /// - Parameters:
    ///   - storage: What the channel stores for devices that are offline. It cannot be changed later.
    ///   - options: Timeout, deadline and other options of the request.
    /// - Returns: Its id, with which apps subscribe. Keep it: a channel lives until it is deleted.
    /// - Throws: ``ChannelError``. If its certainty is `unknown`, the channel may have been created; call
    ///   ``list(options:)``.
    public func create(
        storage: ChannelStoragePolicy, options: PushOptions = PushOptions()
    ) async throws(ChannelError) -> ChannelID {
        while try !count.reserve() {
            let isLearned: Bool
            do { isLearned = try await count.learn { await self.counted() } } catch {
                throw ChannelError(uncounted: error)
            }
            guard isLearned else { throw ChannelError(.cancelledWhileCounting(), of: .createChannel) }
        }
        do throws(ChannelError) {
            let response = try await ask(
                .createChannel(bundleID), body: RequestRoute.creation(storage), expecting: 201, options: options)
            guard let channel = response.createdChannel else {
                throw ChannelError(unreadable: response, of: .createChannel)
            }
            count.creationEnded(.created)
            return channel
        } catch {
            count.creationEnded(error.mayHaveHappened ? .unknown : .notCreated)
            throw error
        }
    }

    /// Reads what a channel stores.
    ///
    /// - Throws: ``ChannelError``, with the reason `BadChannelId` or `ChannelNotRegistered` if the channel does not
    ///   exist.
    public func read(
        _ channel: ChannelID, options: PushOptions = PushOptions()
    ) async throws(ChannelError) -> BroadcastChannel {
        let response = try await ask(
            .readChannel(channel, bundleID: bundleID), body: nil, expecting: 200, options: options)
        guard let description = response.channel(channel) else {
            throw ChannelError(unreadable: response, of: .readChannel)
        }
        return description
    }

    /// Deletes a channel. Broadcasts that APNs has stored for offline devices are not recalled.
    ///
    /// - Throws: ``ChannelError``, also if the channel does not exist. If its certainty is `unknown`, the channel may
    ///   be gone: delete it again, and treat that refusal as success.
    public func delete(_ channel: ChannelID, options: PushOptions = PushOptions()) async throws(ChannelError) {
        let lists = count.lists
        _ = try await ask(.deleteChannel(channel, bundleID: bundleID), body: nil, expecting: 204, options: options)
        count.noteDeletion(since: lists)
    }

    /// All channels of the app in this environment, in APNs' order.
    ///
    /// - Throws: ``ChannelError``.
    public func list(options: PushOptions = PushOptions()) async throws(ChannelError) -> [ChannelID] {
        try await listed(options) { response in response.channels.map { ($0, $0.count) } }
    }

    /// Closes the connection: later calls are refused, requests under way may finish.
    ///
    /// - Parameter time: How long closing may take. Default 10 s.
    public func close(within time: Duration = .seconds(10)) async {
        await connection.close(within: time)
    }

    /// Counts the channels in the list, even those whose ids this version does not understand.
    private func counted() async -> Result<Void, ChannelError> {
        do throws(ChannelError) {
            return .success(try await listed(PushOptions()) { response in response.channelCount.map { ((), $0) } })
        } catch {
            return .failure(error)
        }
    }

    /// - Parameter read: Returns the result wanted from the list, and how many channels it has; nil if it cannot be
    ///   read.
    private func listed<Wanted>(
        _ options: PushOptions, _ read: (PushResponse) -> (wanted: Wanted, count: Int)?
    ) async throws(ChannelError) -> Wanted {
        let began = count.beginList()
        let response = try await ask(.listChannels(bundleID), body: nil, expecting: 200, options: options)
        guard let list = read(response) else { throw ChannelError(unreadable: response, of: .listChannels) }
        count.listed(list.count, since: began)
        return list.wanted
    }

    /// Sends a request, and returns the answer if it means success.
    private func ask(
        _ route: RequestRoute, body: Payload?, expecting status: Int, options: PushOptions
    ) async throws(ChannelError) -> PushResponse {
        let options = adjusted(options, for: route)
        let response: PushResponse
        do {
            let record = entrance.outbox.issue(
                PushNotification(payload: body ?? Payload(unchecked: [])), for: route, options: options)
            try entrance.outbox.check(record, options: options)
            response = try await entrance.outcome(of: record, options: options).get()
        } catch {
            throw ChannelError(error, of: route.action)
        }
        guard response.isSuccess else { throw ChannelError(refused: response, of: route.action) }
        // For creations and deletions, the header fields have the result.
        guard response.status == status, response.isComplete || !route.isRead else {
            throw ChannelError(unreadable: response, of: route.action)
        }
        return response
    }

    /// Reading twice does no harm; creating twice makes two channels.
    private func adjusted(_ options: PushOptions, for route: RequestRoute) -> PushOptions {
        var options = options
        options.ordered = .byCall
        let resend = options.resend ?? entrance.outbox.policy.resend
        if route.isRead, resend == .unprocessed { options.resend = .resendUnknown }
        if route.action == .createChannel {
            if resend == .resendUnknown { options.resend = .unprocessed }
            var retry = options.statusRetry ?? entrance.outbox.policy.statusRetry
            // After these statuses, APNs may have made the channel: see ChannelError.mayHaveHappened.
            retry.statuses.subtract([.internalServerError, .serviceUnavailable])
            options.statusRetry = retry
        }
        return options
    }
}

extension RequestRoute {
    /// Whether the request changes nothing.
    fileprivate var isRead: Bool { action == .readChannel || action == .listChannels }
}

/// Managing the channels of an app.
extension PushRuntime {
    /// Starts a supervised connection to the host that manages the broadcast channels of the configuration's
    /// environment, and returns at once; the connection dials on its own.
    ///
    /// It uses the same credential as a connection with this configuration, and the same provider tokens: all
    /// connections of a team and key share one authority. The host is Apple's for the environment, with its own port
    /// (2196, in development 2195). If `config.host` is set, that host and `config.port` are used instead.
    ///
    /// - Parameters:
    ///   - bundleID: The app's bundle id, without a suffix. Nil, the default: the topic of the configuration's
    ///     defaults, otherwise the certificate's.
    ///   - config: The credential, environment, times and policies, as for `connect`. Its feedback handler, its order
    ///     and its port fallback are ignored.
    ///   - limit: How many channels the app may have in this environment. Default 10,000, Apple's limit.
    ///   - owner: Subscribed before the first dial.
    /// - Returns: An object that creates, reads, deletes and lists channels.
    /// - Throws: ``ConnectError``, as `connect` does, and for an invalid bundle id.
    public func channels(
        bundleID: String? = nil, config: PushConnection.Configuration, limit: Int = BroadcastChannels.appleLimit,
        owner: Mailbox<LifecycleMessage>? = nil
    ) throws(ConnectError) -> BroadcastChannels {
        let config = config.forManagement()
        let bundleID = if let bundleID { bundleID } else { try self.bundleID(config) }
        if let problem = RequestRoute.problem(with: bundleID) { throw ConnectError(.configuration, "\(problem).") }
        guard limit >= 1 else { throw ConnectError(.configuration, "limit is \(limit): it must be 1 or more.") }
        let entry = try start(nil, label: "channels", config: config, owner: owner, session: .management)
        return BroadcastChannels(
            bundleID, on: PushConnection(self, destination: entry), entrance: entry.entrance, limit: limit)
    }

    /// The app's bundle id, from the configuration or its certificate.
    private func bundleID(_ config: PushConnection.Configuration) throws(ConnectError) -> String {
        if let topic = config.defaults.topic { return topic.rawValue }
        return try credentialReader.resolve(config).topics?.standard?.rawValue ?? ""
    }
}

extension PushConnection.Configuration {
    /// This configuration for the management of channels: another host and port, no fallback, no device settings.
    ///
    /// A port for pushes does not apply to Apple's management hosts, which listen on neither of the two.
    func forManagement() -> PushConnection.Configuration {
        with {
            if host == nil, port == 443 || port == PortChoice.alternate {
                $0.port = environment.managementPort
            }
            $0.host = host ?? environment.managementHost
            $0.portFallback = false
            $0.ordered = .byCall
            $0.feedback = nil
            // The channels need a connection for as long as the runtime lives.
            $0.retry.restart = retry.restart ?? .permanent
        }
    }
}

extension ClientSession.Configuration {
    /// For answers that list channels: ten thousand channels take about 300 KiB, and 2.6 MB with ids of the greatest
    /// length.
    static var management: Self {
        var configuration = Self()
        configuration.maxBodyBytes = 4 << 20
        return configuration
    }
}
