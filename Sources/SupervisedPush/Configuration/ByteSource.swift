import FoundationEssentials
import PushLocking

/// Where a key, a certificate or a trust bundle comes from. Files and memory are read once, on the thread that calls
/// `connect`. A loader is called while the connection dials.
public struct ByteSource: Sendable, CustomStringConvertible, CustomReflectable {
    enum Origin: Sendable {
        case file(String)
        case memory([UInt8])
        case loader(SecretLoader)
    }

    let origin: Origin

    /// A file, by its path.
    public static func file(_ path: String) -> Self { Self(origin: .file(path)) }
    /// PEM text in memory, for example from a secret store.
    public static func pem(_ text: String) -> Self { Self(origin: .memory(Array(text.utf8))) }
    /// Bytes in memory.
    public static func bytes(_ bytes: some Sequence<UInt8>) -> Self { Self(origin: .memory(Array(bytes))) }

    /// Bytes from a secret store or a key service.
    ///
    /// They are loaded while the connection dials; `connect` returns before. If `load` throws, or if its bytes cannot
    /// be used, the attempt to connect has failed as if the network were down: pushes wait,
    /// `LifecycleMessage.reconnecting` says why with the layer `credential`, and the next attempt loads again.
    ///
    /// They are loaded again when a push tries a credential that APNs refused, by `PushConnection.reloadCredential()`,
    /// and at the interval of ``CredentialReload/every(_:)``. Connections that need them at the same time share one
    /// call. Not for trust bundles.
    ///
    /// - Parameters:
    ///   - name: A readable name of their origin, for descriptions and errors. No secret.
    ///   - load: Returns the content of a key or certificate file. It may take as long as an attempt to connect
    ///     (``PushConnection/Configuration/Liveness/connectTimeout``); after that, the next attempt waits for the same
    ///     call. Of its errors, only the type is shown.
    public static func loader(_ name: String, _ load: @escaping @Sendable () async throws -> [UInt8]) -> Self {
        Self(origin: .loader(SecretLoader(name, load: load)))
    }

    /// Bytes that a secret store or a key service hands out, as ``loader(_:_:)-(_,()->[UInt8])`` takes them.
    @_disfavoredOverload
    public static func loader(_ name: String, _ load: @escaping @Sendable () async throws -> Data) -> Self {
        loader(name) { Array(try await load()) as [UInt8] }
    }

    /// PEM text that a secret store or a key service hands out, as ``loader(_:_:)-(_,()->[UInt8])`` takes its bytes.
    @_disfavoredOverload
    public static func loader(_ name: String, _ load: @escaping @Sendable () async throws -> String) -> Self {
        loader(name) { Array(try await load().utf8) as [UInt8] }
    }

    /// The path, the number of bytes, or the loader's name; never the content.
    public var description: String {
        switch origin {
        case .file(let path): "file \(path)"
        case .memory(let bytes): "\(bytes.count) bytes in memory"
        case .loader(let loader): "loaded from \(loader.name)"
        }
    }

    /// Hides the content from `dump` and debuggers.
    public var customMirror: Mirror { Mirror(self, children: ["origin": description]) }

    /// The loader, if the bytes have to be loaded.
    var loader: SecretLoader? {
        if case .loader(let loader) = origin { loader } else { nil }
    }

    /// The path, if it is a file.
    var path: String? {
        if case .file(let path) = origin { path } else { nil }
    }
}

/// Loads bytes with the caller's code, for example from a secret store or a key service. Concurrent callers share one
/// load.
final class SecretLoader: Sendable {
    typealias Load = @Sendable () async throws -> [UInt8]

    /// A readable name of the bytes' origin.
    let name: String
    private let load: Load
    private let flight = Locked<Task<[UInt8], any Error>?>(nil)

    init(_ name: String, load: @escaping Load) {
        self.name = name
        self.load = load
    }

    func bytes() async throws -> [UInt8] {
        let task = flight.withLock { flight in
            if let flight { return flight }
            let task = Task(executorPreference: QueueExecutor(label: "push.loader")) { [load] in
                try await load()
            }
            flight = task
            return task
        }
        defer { flight.withLock { if $0 == task { $0 = nil } } }
        return try await task.value
    }
}
