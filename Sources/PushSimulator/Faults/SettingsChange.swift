/// Values of SETTINGS to announce; nil leaves one as it is.
public struct SettingsChange: Sendable, Hashable {
    /// MAX_CONCURRENT_STREAMS; 0 stops a provider that respects it.
    public var maxConcurrentStreams: Int?
    /// INITIAL_WINDOW_SIZE, in bytes, up to 2^31-1.
    public var initialWindowSize: Int?

    /// Announces what is not nil.
    public init(maxConcurrentStreams: Int? = nil, initialWindowSize: Int? = nil) {
        self.maxConcurrentStreams = maxConcurrentStreams
        self.initialWindowSize = initialWindowSize
    }
}
