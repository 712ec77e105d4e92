/// How long a push waits before it is written again after REFUSED_STREAM (RFC 9113, section 8.7), or after another end
/// of its stream after which it is resent.
///
/// After the first refusal it is resent at once, because usually the limit has just changed. After the second in a row
/// it waits for SETTINGS, for a stream that ends, or at most for this time.
enum RefusalPause {
    static let first = Duration.milliseconds(100)
    static let longest = Duration.seconds(5)

    /// 100 ms after the second refusal in a row, doubling to 5 s; nil after the first.
    static func length(refusals: Int) -> Duration? {
        guard refusals >= 2 else { return nil }
        return min(first * (1 << min(refusals - 2, 10)), longest)
    }
}
