import FoundationEssentials
import ProcessRuntime
import PushLocking

/// The broadcast channels of a simulated APNs, per bundle id and environment.
///
/// Channels are created and deleted through the management port, or by these functions. All functions may be called
/// from any thread, also while a simulator uses the registry. The registry remembers the last 100,000 deleted ids, to
/// tell them from ids that never existed.
public final class ChannelRegistry: Sendable {
    /// What APNs stores of a channel's broadcasts. Fixed when the channel is created. The raw value is
    /// `message-storage-policy` on the wire.
    public enum StoragePolicy: Int, Sendable, Hashable, CaseIterable {
        /// Nothing: a broadcast reaches only connected devices, and its `apns-expiration` must be 0.
        case noStorage = 0
        /// The latest message.
        case mostRecentMessage = 1
    }

    /// One channel.
    public struct Channel: Sendable, Hashable {
        /// Its id: base64 with padding (RFC 4648, section 4), 24 characters for 16 bytes.
        public let id: String
        /// What is stored of its broadcasts.
        public let storagePolicy: StoragePolicy
    }

    /// What is known about an id.
    enum State: Equatable {
        case open(Channel)
        case deleted
        case unknown
    }

    private struct App: Hashable {
        let bundleID: String
        let environment: SimulatedEnvironment
    }

    private struct Key: Hashable {
        let app: App
        let id: String
    }

    private struct Entry {
        let storagePolicy: StoragePolicy
        /// Its position in the order of creation.
        let number: Int
    }

    private struct Book {
        var enabledBundleIDs: Set<String>?
        var apps: [App: [String: Entry]] = [:]
        var count = 0
        var lastNumber = 0
        var deleted: Set<Key> = []
        /// When full, a ring buffer whose oldest entry is at `oldest`.
        var deletions: [Key] = []
        var oldest = 0
        /// Nil until a simulator sets it or a call needs it.
        var generator: SeededGenerator?
    }

    /// How many channels a bundle id may have in one environment. Creating one more is 400 `CannotCreateChannelConfig`.
    public let limit: Int
    private let memory: Int
    private let book: Locked<Book>

    /// The limit for all channels together, so that invented bundle ids cannot exhaust memory.
    private static let total = 1_000_000

    /// Creates a registry without channels.
    ///
    /// - Parameters:
    ///   - limit: Channels per bundle id and environment, at least 0. By default 10,000, as at APNs.
    ///   - enabledBundleIDs: The apps that have the broadcast capability. Others get 400 `BroadcastFeatureNotEnabled`.
    ///     Nil, the default, enables all.
    public convenience init(limit: Int = 10_000, enabledBundleIDs: Set<String>? = nil) {
        self.init(limit: limit, enabledBundleIDs: enabledBundleIDs, memory: 100_000)
    }

    /// - Parameter memory: How many deleted ids are remembered.
    init(limit: Int, enabledBundleIDs: Set<String>?, memory: Int) {
        self.limit = max(0, limit)
        self.memory = max(1, memory)
        book = Locked(Book(enabledBundleIDs: enabledBundleIDs))
    }

    /// The apps that have the broadcast capability; nil for all. An app that loses the capability loses its channels,
    /// as in the developer portal: their ids count as unknown.
    public var enabledBundleIDs: Set<String>? {
        get { book.withLock { $0.enabledBundleIDs } }
        set {
            book.withLock { book in
                book.enabledBundleIDs = newValue
                guard let newValue else { return }
                for (app, channels) in book.apps where !newValue.contains(app.bundleID) {
                    book.apps[app] = nil
                    book.count -= channels.count
                }
            }
        }
    }

    /// Creates a channel. The same simulator seed and the same order of calls give the same ids.
    ///
    /// - Returns: The channel; nil if ``limit`` is reached, or the limit of 1,000,000 over all apps.
    @discardableResult
    public func create(
        for bundleID: String, storing storagePolicy: StoragePolicy = .noStorage,
        in environment: SimulatedEnvironment = .production
    ) -> Channel? {
        let app = App(bundleID: bundleID, environment: environment)
        return book.withLock { book in
            guard book.apps[app]?.count ?? 0 < limit, book.count < Self.total else { return nil }
            var id: String
            repeat {
                id = Self.makeID(&book)
            } while book.apps[app]?[id] != nil
                || book.deleted.contains(Key(app: app, id: id))
            book.lastNumber += 1
            book.count += 1
            book.apps[app, default: [:]][id] = Entry(storagePolicy: storagePolicy, number: book.lastNumber)
            return Channel(id: id, storagePolicy: storagePolicy)
        }
    }

    /// An existing channel; nil if it never existed or was deleted.
    public func channel(
        _ id: String, of bundleID: String, in environment: SimulatedEnvironment = .production
    ) -> Channel? {
        if case .open(let channel) = state(of: id, App(bundleID: bundleID, environment: environment)) {
            channel
        } else {
            nil
        }
    }

    /// Deletes a channel. From then on, pushes to it get 400 `ChannelNotRegistered`.
    ///
    /// - Returns: Whether it existed.
    @discardableResult
    public func delete(
        _ id: String, of bundleID: String, in environment: SimulatedEnvironment = .production
    ) -> Bool {
        let app = App(bundleID: bundleID, environment: environment)
        return book.withLock { book in
            guard book.apps[app]?.removeValue(forKey: id) != nil else { return false }
            book.count -= 1
            if book.apps[app]?.isEmpty == true { book.apps[app] = nil }
            remember(Key(app: app, id: id), &book)
            return true
        }
    }

    /// The channels of an app, oldest first.
    public func channels(of bundleID: String, in environment: SimulatedEnvironment = .production) -> [Channel] {
        let entries = book.withLock { $0.apps[App(bundleID: bundleID, environment: environment)] ?? [:] }
        return entries.sorted { $0.value.number < $1.value.number }.map {
            Channel(id: $0.key, storagePolicy: $0.value.storagePolicy)
        }
    }

    // MARK: For the checks

    /// Sets the simulator's seed. Has no effect after the first id was generated.
    func seed(_ seed: UInt64) {
        book.withLock { book in
            if book.generator == nil { book.generator = SeededGenerator(seed: seed) }
        }
    }

    func state(of id: String, _ bundleID: String, _ environment: SimulatedEnvironment) -> State {
        state(of: id, App(bundleID: bundleID, environment: environment))
    }

    func isEnabled(_ bundleID: String) -> Bool {
        book.withLock { $0.enabledBundleIDs?.contains(bundleID) ?? true }
    }

    /// Whether the bundle id is explicitly enabled.
    func isNamed(_ bundleID: String) -> Bool {
        book.withLock { $0.enabledBundleIDs?.contains(bundleID) ?? false }
    }

    func hasRoom(_ bundleID: String, _ environment: SimulatedEnvironment) -> Bool {
        book.withLock { book in
            book.apps[App(bundleID: bundleID, environment: environment)]?.count ?? 0 < limit && book.count < Self.total
        }
    }

    private func state(of id: String, _ app: App) -> State {
        book.withLock { book in
            if let entry = book.apps[app]?[id] { return .open(Channel(id: id, storagePolicy: entry.storagePolicy)) }
            return book.deleted.contains(Key(app: app, id: id)) ? .deleted : .unknown
        }
    }

    /// Remembers a deleted id. Ids are never reused, so each occurs at most once.
    private func remember(_ key: Key, _ book: inout Book) {
        book.deleted.insert(key)
        guard book.deletions.count >= memory else { return book.deletions.append(key) }
        book.deleted.remove(book.deletions[book.oldest])
        book.deletions[book.oldest] = key
        book.oldest = (book.oldest + 1) % memory
    }

    private static func makeID(_ book: inout Book) -> String {
        var generator = book.generator ?? SeededGenerator(seed: 1)
        defer { book.generator = generator }
        let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return Data(bytes).base64EncodedString()
    }
}
