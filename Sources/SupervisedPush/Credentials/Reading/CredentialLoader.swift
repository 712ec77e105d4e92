import Dispatch
import Logging
import ProcessRuntime
import PushLocking

/// Loads a credential: while a connection dials, again when a push probes a refused credential, and when it is read
/// again. The connections of a pool share one.
final class CredentialLoader: Sendable {
    typealias Completion = @Sendable (Result<ResolvedCredential, ConnectError>) -> Void

    private struct State {
        /// Without its loader, which would otherwise retain itself.
        var loaded: ResolvedCredential?
        var waiting: [Completion] = []
    }

    /// Twice as many as a pool has connections.
    private static let mostWaiting = 20_000
    private static let silence = ConnectError(
        .credential, "The credential is still being loaded, and too many callers wait for it. Check the secret store.")

    private static let limit = Duration.seconds(60)
    private static let tooLong = ConnectError(
        .credential, "The credential was not loaded within 60 s: does its loader answer?")

    private let config: PushConnection.Configuration
    private let reader: CredentialReader
    private let state = Locked(State())
    /// The tokens from the caller's own token source.
    private let tokens = Locked<SourcedTokens?>(nil)

    init(_ config: PushConnection.Configuration, reader: CredentialReader) {
        self.config = config
        self.reader = reader
    }

    /// Passes the credential to `completion` on a queue. Loads it if it is not loaded yet, or if `again`. One load is
    /// under way at a time.
    func load(again: Bool, on queue: DispatchQueue, completion: @escaping Completion) {
        load(again: again) { result in queue.async { completion(result) } }
    }

    /// Loads it again. After a minute, the load has failed for its callers.
    func loadAgain() async throws(ConnectError) -> ResolvedCredential {
        let result: Result<ResolvedCredential, ConnectError> = await withHandOver { handOver in
            let waiting = Locked<HandOver<Result<ResolvedCredential, ConnectError>>?>(handOver)
            @Sendable func answer(_ result: Result<ResolvedCredential, ConnectError>) {
                waiting.withLock { $0.take() }?.resume(returning: result)
            }
            let queue = DispatchQueue(label: "push.reload", target: .forCallers)
            let timer = reader.time.makeTimer(on: queue) { answer(.failure(Self.tooLong)) }
            timer.arm(at: reader.time.now.advanced(by: Self.limit))
            load(again: true) { result in
                timer.cancel()
                answer(result)
            }
        }
        return try result.get()
    }

    private func load(again: Bool, completion: @escaping Completion) {
        let (answer, isFirst) = state.withLock { state -> (Result<ResolvedCredential, ConnectError>?, Bool) in
            if !again, state.waiting.isEmpty, let loaded = state.loaded { return (.success(loaded), false) }
            // Abandoned attempts count, too, while a secret store does not answer.
            guard state.waiting.count < Self.mostWaiting else { return (.failure(Self.silence), false) }
            state.waiting.append(completion)
            return (nil, state.waiting.count == 1)
        }
        if let answer { return completion(answer.map { $0.loaded(by: self) }) }
        guard isFirst else { return }
        Task(executorPreference: QueueExecutor(label: "push.loader")) { self.finish(await self.result()) }
    }

    private func result() async -> Result<ResolvedCredential, ConnectError> {
        let again = state.withLock { $0.loaded != nil }
        do throws(ConnectError) {
            if case .tokens(let source) = config.credential.kind {
                return .success(try reader.resolve(config.trust, again: again, issuer: try await issuer(source)))
            }
            let credential = try await config.credential.loaded()
            let config = config.with {
                $0.credential = credential
                // Warnings were logged the first time.
                if again { $0.watching.logger = nil }
            }
            return .success(try used(config, again: again))
        } catch {
            return .failure(error)
        }
    }

    private func used(_ config: PushConnection.Configuration, again: Bool) throws(ConnectError) -> ResolvedCredential {
        do throws(ConnectError) { return try reader.resolve(config, again: again) } catch {
            throw ConnectError(error.code, "What was loaded can't be used. \(error.description)")
        }
    }

    /// Asks the source for a token for all connections of the credential.
    private func issuer(_ source: TokenSource) async throws(ConnectError) -> any TokenIssuer {
        let bearer: BearerToken
        do { bearer = try await source.make() } catch {
            throw ConnectError(
                .credential,
                "\(source.name) returned no provider token: \(type(of: error)). Check the source of the tokens.")
        }
        let issuer = tokens.withLock { tokens in
            let issuer = tokens ?? SourcedTokens { [weak self] in self?.askAgain() }
            tokens = issuer
            return issuer
        }
        issuer.accept(bearer, reader.time.now)
        return issuer
    }

    /// In the background: pushes continue with the present token.
    private func askAgain() {
        load(again: true) { [logger = config.watching.logger] result in
            guard case .failure(let error) = result else { return }
            logger?.warning("no new provider token", metadata: ["error": "\(error)"])
        }
    }

    private func finish(_ result: Result<ResolvedCredential, ConnectError>) {
        let waiting = state.withLock { state in
            if case .success(let credential) = result { state.loaded = credential }
            defer { state.waiting = [] }
            return state.waiting
        }
        let brought = result.map { $0.loaded(by: self) }
        for completion in waiting { completion(brought) }
    }
}

extension Credential {
    /// Whether any of its bytes have to be loaded.
    var hasLoader: Bool {
        if case .tokens = kind { true } else { sources.contains { $0.loader != nil } }
    }

    /// The same credential with all bytes in memory.
    fileprivate func loaded() async throws(ConnectError) -> Credential {
        switch kind {
        case .token(let key, let keyID, let teamID, let sharedWindow):
            return .token(
                key: try await key.loaded("signing key"), keyID: keyID, teamID: teamID, sharedWindow: sharedWindow)
        case .certificate(let certificate, let privateKey, let password):
            let key = try await privateKey?.loaded("private key")
            return .certificate(try await certificate.loaded("certificate"), privateKey: key, password: password)
        case .tokens: return self
        case .pkcs12(let file, let password):
            return .pkcs12(try await file.loaded("PKCS#12 file"), password: password)
        }
    }
}

extension ByteSource {
    fileprivate func loaded(_ what: String) async throws(ConnectError) -> ByteSource {
        guard let loader else { return self }
        do { return .bytes(try await loader.bytes()) } catch {
            // The loader's error may contain anything, even a part of a secret, so only its type is shown.
            throw ConnectError(
                .credential,
                "The \(what) could not be loaded from \(loader.name): \(type(of: error)). Check the secret store.")
        }
    }
}
